"""The attributes of records: their values, types and labels."""
