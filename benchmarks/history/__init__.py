"""What a crawl knows of earlier ones."""
