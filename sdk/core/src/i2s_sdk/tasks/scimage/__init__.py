"""ScImage: figures from text in four languages, as Python programs or TikZ."""
