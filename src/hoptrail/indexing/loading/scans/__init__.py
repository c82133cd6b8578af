"""Pictures of pages as text: recognised, put in reading order, every word with its box."""
