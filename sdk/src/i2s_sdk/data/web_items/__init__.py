"""New items of VisualWebBench from drawn pages: which elements are fit, what is drawn on them, what is asked."""
