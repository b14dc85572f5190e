"""What the API lets programs read."""
