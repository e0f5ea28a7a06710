"""Generate the typed Python stubs of the wire contract, and its descriptors, when the package is built."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PROTOS = (
    "i2s/render/v1/figure.proto",
    "i2s/render/v1/notes.proto",
    "i2s/render/v1/render.proto",
    "i2s/metrics/v1/metrics.proto",
    "i2s/documents/v1/documents.proto",
)


class GenerateStubs(BuildHookInterface):  # type: ignore[type-arg]
    """Runs protoc for messages, services and their types, into src/."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the stubs. Called for wheels and for editable installs alike."""
        generate(Path(self.root))


def generate(root: Path) -> None:
    """Write stubs for all of PROTOS below ``root``/src, and their descriptors with all comments.

    Raises:
        RuntimeError: protoc refused a file; its complaint is on standard error.
    """
    from grpc_tools import protoc

    out = root / "src"
    plugins = Path(sys.executable).parent  # protoc looks for protoc-gen-mypy on the PATH
    os.environ["PATH"] = f"{plugins}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    status = protoc.main(
        [
            "protoc",
            f"-I{root}",
            f"--python_out={out}",
            f"--mypy_out={out}",
            f"--grpc_python_out={out}",
            f"--mypy_grpc_out={out}",
            "--include_imports",
            "--include_source_info",
            f"--descriptor_set_out={out / 'i2s' / 'contract.binpb'}",
            *PROTOS,
        ]
    )
    if status != 0:
        raise RuntimeError(f"protoc ended with {status}; its complaint stands above")
