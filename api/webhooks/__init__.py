"""Messages to other programs: signed, retried by the worker, logged."""
