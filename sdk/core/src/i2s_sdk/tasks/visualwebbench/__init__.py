"""VisualWebBench: what a model understands of the image of a web page, in seven tasks and four forms."""
