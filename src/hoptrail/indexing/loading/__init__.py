"""Input: files, folders and documents as text, cut into passages."""
