"""Query likelihood retrieval for Hoptrail."""
