"""LangGraph wiring: state, context, presets, the graph, and the nodes of each method."""
