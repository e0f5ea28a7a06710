"""Reads the LaTeX sources of a paper: scanner, tree of files, own macros, and the environments that are cut out."""
