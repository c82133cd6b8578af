"""A trail as a picture: which boxes it has, where they stand, and its SVG."""
