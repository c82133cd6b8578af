"""Knowledge base stores: protocols and the embedded implementation."""
