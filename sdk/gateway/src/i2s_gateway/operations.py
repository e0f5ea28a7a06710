"""What can be asked of a gateway beside its pages: paths, and the methods of the contract behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from google.protobuf.message import Message

from i2s_client.service_table import (
    DOCUMENTS,
    DOCUMENTS_WIRE_NAME,
    METRICS,
    METRICS_WIRE_NAME,
    RENDER_WIRE_NAME,
    SERVICES,
)
from i2s_gateway.errors import GatewayError, invalid
from i2s_wire.contract import Method, contract

PREFIX = "/v1"


@dataclass(frozen=True, slots=True)
class Operation:
    """A request of the method POST whose body is a message of the contract.

    Attributes:
        path: The path in the URL.
        wire_name: Full name of the service of gRPC.
        rpc: Name of its method.
        service: Name of the service that answers; None if the request decides.
        example: A body, for documentation. "base64:FILE" stands for the content of a file.
    """

    path: str
    wire_name: str
    rpc: str
    service: str | None
    example: Mapping[str, object]

    @property
    def method(self) -> Method:
        """The method of the contract."""
        return contract().method(self.wire_name, self.rpc)

    @property
    def makes_pictures(self) -> bool:
        """Whether a caller may have the picture alone as the answer."""
        return self.wire_name == RENDER_WIRE_NAME

    @property
    def summary(self) -> str:
        """What it does, in the words of the contract."""
        return contract().comments[f"{self.wire_name}.{self.rpc}"].partition("\n\n")[0]


_EQUATION = r"\documentclass{article}\begin{document}\thispagestyle{empty}$E = mc^2$\end{document}"

OPERATIONS = (
    Operation(f"{PREFIX}/render", RENDER_WIRE_NAME, "Render", None, {"latex": {"document_text": _EQUATION}}),
    Operation(
        f"{PREFIX}/score",
        METRICS_WIRE_NAME,
        "Score",
        METRICS,
        {
            "reference": {"data": "base64:reference.png"},
            "prediction": {"data": "base64:picture.png"},
            "metrics": ["ems", "ssim"],
        },
    ),
    Operation(
        f"{PREFIX}/convert",
        DOCUMENTS_WIRE_NAME,
        "Convert",
        DOCUMENTS,
        {
            "fragments": [
                {"id": "1", "format": "FRAGMENT_FORMAT_MARKDOWN", "text_text": "| a |\n|---|\n| b |"}
            ]
        },
    ),
    Operation(
        f"{PREFIX}/draw-pages",
        DOCUMENTS_WIRE_NAME,
        "DrawPages",
        DOCUMENTS,
        {"pdf": "base64:document.pdf", "page_count": 1},
    ),
)


def renderer_for(request: Message, named: str) -> str:
    """Return the name of the renderer that a request to render is for.

    Args:
        request: A RenderRequest.
        named: The renderer that the caller wants; empty to take the one of this kind of source.

    Raises:
        GatewayError: The request has no source.
    """
    oneof = request.DESCRIPTOR.oneofs_by_name["source"]
    chosen = request.WhichOneof("source")
    if chosen is None:
        raise invalid(f"the request has no source: one of {', '.join(field.name for field in oneof.fields)}")
    if named:
        return named
    kind = type(getattr(request, chosen)).__name__
    for row in SERVICES:
        if row.source is not None and row.source.__name__ == kind:
            return row.name
    raise GatewayError(
        501, "UNIMPLEMENTED", f"no renderer is known for {chosen}; name one with ?service=NAME"
    )
