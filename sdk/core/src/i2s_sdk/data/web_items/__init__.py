"""New items of VisualWebBench from drawn pages: which elements are fit, what is drawn, what is asked."""
