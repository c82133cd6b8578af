"""Models on the user's machine: files, servers that run already, and the one that is used."""
