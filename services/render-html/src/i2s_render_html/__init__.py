"""A web site in, picture or verdict out."""
