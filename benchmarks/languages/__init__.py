"""Documents and questions in languages other than English, written in them and not translated."""
