"""Typst in, image or verdict out."""
