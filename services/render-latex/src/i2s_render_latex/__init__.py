"""LaTeX in, image or verdict out."""
