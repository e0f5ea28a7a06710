"""One source to one image, and one image against another, without a run."""
