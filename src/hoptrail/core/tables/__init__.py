"""Tables of documents with typed columns: their values, and queries over them."""
