"""VisualWebBench: what a model understands of the picture of a web page, in seven tasks and four forms."""
