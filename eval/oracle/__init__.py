"""The oracle reader: a chat model that answers from gold what its prompt gives it to read."""
