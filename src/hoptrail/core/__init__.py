"""Values, errors, settings, text and token helpers: what every other layer may import."""
