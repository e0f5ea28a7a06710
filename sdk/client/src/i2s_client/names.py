"""Full names of the gRPC services."""

from __future__ import annotations

from i2s_client.documents import SERVICE as DOCUMENTS_WIRE_NAME
from i2s_client.metrics import SERVICE as METRICS_WIRE_NAME
from i2s_client.render import SERVICE as RENDER_WIRE_NAME
from i2s_client.service_table import DOCUMENTS, METRICS

_OTHERS = {METRICS: METRICS_WIRE_NAME, DOCUMENTS: DOCUMENTS_WIRE_NAME}

#: All full names.
WIRE_NAMES = (RENDER_WIRE_NAME, *_OTHERS.values())


def wire_name(service: str) -> str:
    """Return the full name of a service of the table, or of a renderer of another package.

    Args:
        service: Name, such as "render-latex", which is an "i2s.render.v1.RenderService".
    """
    return _OTHERS.get(service, RENDER_WIRE_NAME)
