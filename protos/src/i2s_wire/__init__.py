"""The types of what the wire carries, for the SDK and for every service: frozen dataclasses and enums.

The modules ``to_wire`` and ``from_wire`` convert them to and from the messages of ``i2s.render.v1``,
``i2s.metrics.v1`` and ``i2s.documents.v1``. Nothing else here imports protobuf. ``installation`` is here,
since this is the one package that the SDK and all services share.
"""
