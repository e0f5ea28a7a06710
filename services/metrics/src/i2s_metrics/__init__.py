"""Image similarity as a service.

``functional`` holds the definitions: pure functions of arrays. ``metrics`` describes them
(name, direction, bounds, version, source) and ``registry`` finds them. Around that core,
``decode`` and ``sizes`` make two encoded files one pair of equal size, ``scoring`` scores the
pair, ``worker`` and ``engine`` do so in processes of their own, and ``servicer`` speaks the wire.
"""
