"""Languages whose sources are read and repaired here before they are rendered, a module each."""
