"""What a program does for a member: the same actions as the pages, each once for its key."""
