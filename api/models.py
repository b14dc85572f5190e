"""The tables of the app, gathered from its packages for Django."""
