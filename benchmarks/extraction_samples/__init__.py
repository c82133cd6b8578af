"""Hand-labelled samples of what the rules take for names and relations."""
