"""A renderer for tests alone, of programs that draw with Pillow: the least that a renderer is."""
