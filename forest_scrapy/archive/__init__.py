"""The pages that crawls have fetched: they are kept, and articles are taken from them again."""
