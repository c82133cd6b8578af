"""LangChain tools over a knowledge base: the only way by which nodes reach data."""
