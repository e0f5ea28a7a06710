"""Reads the LaTeX sources of a paper: scanner, tree of files, own macros, environments that are cut out."""
