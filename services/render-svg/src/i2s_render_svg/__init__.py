"""SVG in, image or verdict out."""
