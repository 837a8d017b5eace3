"""Reading a page: its response, its encoding, its article; slow ones in a thread or process."""
