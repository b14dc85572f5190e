"""The REST API under `/api/v1/` and the webhooks: the site for other programs."""
