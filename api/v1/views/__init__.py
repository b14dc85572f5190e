"""What the API lets programs read and do: one module a resource."""
