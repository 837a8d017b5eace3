"""Tables of the history besides its pages and feeds."""
