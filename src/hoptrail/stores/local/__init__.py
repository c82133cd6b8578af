"""Views of the part of a base that a question touches, made of what a server sent of it."""
