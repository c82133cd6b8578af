"""Documents from loaders, crawls and object stores, one after the other and within limits."""
