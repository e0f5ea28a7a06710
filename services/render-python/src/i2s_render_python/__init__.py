"""Python programs in, picture or verdict out."""
