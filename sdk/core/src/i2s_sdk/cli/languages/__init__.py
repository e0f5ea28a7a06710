"""The commands ``i2s-sdk render LANGUAGE`` that have options of their own, a module each."""
