"""How slots and places are shared among callers: decisions as functions of events and times."""
