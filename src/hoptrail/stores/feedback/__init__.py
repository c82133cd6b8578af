"""Words of readers on answers, and the answers that they save, in a file beside the base."""
