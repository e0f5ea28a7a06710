"""A web site in, image or verdict out."""
