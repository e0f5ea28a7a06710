"""Python programs in, image or verdict out."""
