"""LilyPond scores in, image or verdict out."""
