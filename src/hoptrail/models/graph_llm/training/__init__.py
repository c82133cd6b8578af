"""Training of a graph-augmented LLaMA: resumable to the last bit, best checkpoint kept."""
