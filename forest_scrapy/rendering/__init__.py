"""Pages whose text a script loads, as a browser shows them."""
