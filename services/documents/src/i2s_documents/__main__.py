"""The command i2s-documents."""

from __future__ import annotations

from i2s_chassis.renderer.command import run_renderer
from i2s_chassis.server.service import Service
from i2s_documents.settings import DocumentsSettings


def _build(settings: DocumentsSettings) -> Service:
    from i2s_documents.service import DocumentsService

    return DocumentsService(settings)


def main() -> None:
    """Run the command line."""
    run_renderer(DocumentsSettings, _build, ["serve", "serve --pandoc /usr/bin/pandoc"])


if __name__ == "__main__":
    main()
