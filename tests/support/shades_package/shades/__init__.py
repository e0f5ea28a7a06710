"""An example of a package that provides tasks, a scorer, a model and a renderer."""
