"""LangGraph wiring: state, context, presets, and one file per graph."""
