"""Evidence that grows: what is established, what is open, and which passages are new."""
