"""Everyday office documents of three invented organisations, with questions over them."""
