"""Files of every common format, as blocks of text that know their place; one module a format."""
