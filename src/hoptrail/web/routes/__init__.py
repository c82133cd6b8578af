"""The paths of the application, one module a subject."""
