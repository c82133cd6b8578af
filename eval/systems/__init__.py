"""Systems that can be evaluated: a retriever, a preset, the evidence they give."""
