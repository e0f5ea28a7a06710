"""The documents of the data set examples/readoc: articles as data, and READMEs as Markdown."""
