"""LilyPond scores in, picture or verdict out."""
