"""What tells the person who runs the site how it is: health, logs, metrics, error reports."""
