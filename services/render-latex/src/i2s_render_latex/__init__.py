"""LaTeX in, picture or verdict out."""
