"""What every retriever shares."""
