"""The metrics: what each is called and means, over the definitions in ``functional``."""
