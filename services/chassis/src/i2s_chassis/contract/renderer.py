"""A renderer as the contract sees it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from google.protobuf.message import Message

from i2s.render.v1 import render_pb2 as pb
from i2s_wire.render.messages import render_request
from i2s_wire.render.request import RenderRequest
from i2s_wire.renderer import Images, RendererSpec

#: A source of any kind, as the message of its type.
Source = Message


@dataclass(frozen=True)
class Renderer:
    """A renderer as the contract sees it. None stands for what its language cannot express.

    Attributes:
        spec: Its description, of which it takes its name, its kind of source and its languages.
        engine: Name of its engine.
        broken: A source with an error that leaves no image, and its verdict.
        endless: A source that computes for ever.
        hostile: Sources that end without an image, by the verdict, with their limits.
        good: A source with an image; None takes the canary of the description.
        surrogate: A source that says "a", half of a surrogate pair and "b", and its verdict.
        options: Groups of options that it knows beside those of its images.
        refused: Options without a meaning, each with the field that is named.
        reads_file: Makes a source that shows the content of a file of the host.
        calls_port: Makes a source that connects to a port of 127.0.0.1.
        leaves_process: Makes a source that starts a process with an argument, which would outlive it.
        arguments: More arguments of ``serve``, given a folder that the service can reach.
        module: Module that is run by ``python -m``; empty for that of the description.
        environment: Variables of the service beside those of the tests.
    """

    spec: RendererSpec
    engine: str
    broken: tuple[Source, int]
    endless: Source
    hostile: Mapping[int, tuple[Source, pb.Limits]]
    good: Source | None = None
    surrogate: tuple[Source, int] | None = None
    options: Sequence[str] = ()
    refused: Sequence[tuple[pb.RenderOptions, str]] = ()
    reads_file: Callable[[str], Source] | None = None
    calls_port: Callable[[int], Source] | None = None
    leaves_process: Callable[[str], Source] | None = None
    arguments: Callable[[Path], Sequence[str]] = field(default=lambda folder: ())
    module: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def service(self) -> str:
        """Its name."""
        return self.spec.name

    @property
    def groups(self) -> frozenset[str]:
        """The groups of options that it knows."""
        return frozenset({"window" if self.spec.images is Images.WINDOW else "page", *self.options})

    @property
    def canary(self) -> pb.RenderRequest:
        """The request of the canary of its description."""
        return render_request(RenderRequest(self.spec.canary))

    @property
    def source(self) -> str:
        """The kind of source that it takes."""
        kind = self.canary.WhichOneof("source")
        assert kind is not None
        return kind

    @property
    def good_source(self) -> Source:
        """A source with an image."""
        canary: Source = getattr(self.canary, self.source)
        return self.good or canary

    def request(
        self,
        source: Source | None = None,
        *,
        id: str = "",
        options: pb.RenderOptions | None = None,
        limits: pb.Limits | None = None,
    ) -> pb.RenderRequest:
        """Return a request, for the good source where none is given."""
        request = pb.RenderRequest(id=id, options=options, limits=limits)
        getattr(request, self.source).CopyFrom(source or self.good_source)
        return request


def generic_source(spec: RendererSpec, text: str | bytes) -> pb.GenericSource:
    """Return a source with one file, for a renderer of generic sources."""
    source = spec.source_of(text.encode() if isinstance(text, str) else text)
    return render_request(RenderRequest(source)).generic
