"""Keys of a program that acts for a member: scopes, end, last use."""
