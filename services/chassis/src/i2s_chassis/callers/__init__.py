"""The callers of a service: who they are, whether they may call, and how slots and places are shared."""
