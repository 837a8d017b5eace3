"""The text of records: where it is, and what inside it is none."""
