"""The register of rating systems."""
