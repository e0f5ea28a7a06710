"""A renderer for tests alone, of Python programs that draw with Pillow: the least that a renderer is."""
