"""Reports on communities: what they are written from, by a model or without one."""
