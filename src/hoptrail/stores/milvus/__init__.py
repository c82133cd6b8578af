"""Publishing vectors to Milvus, and searching them there."""
