"""Figures of matplotlib as data, in the form of ``i2s_wire.render.figure``."""
