"""Ask the index of the TeX tree what would define an undefined name."""

from __future__ import annotations

from i2s_render_latex.errors import Diagnosis, diagnose
from i2s_render_latex.log import LoggedError
from i2s_render_latex.texindex import TexIndex
from i2s_wire.render.source_error import ErrorKind, Provider, SourceError, Undefined

_ROOTS = ("/tikz/", "/pgfplots/", "/pgf/")


def source_error(error: LoggedError, index: TexIndex) -> SourceError:
    """Return an error with what it is about and, if something is undefined, what defines it."""
    diagnosis = diagnose(error)
    name = _shown(diagnosis)
    undefined = Undefined(name, _providers(diagnosis, error, index)) if name else None
    return SourceError(error.message, diagnosis.kind, error.line, error.file, undefined, error.context)


def _shown(diagnosis: Diagnosis) -> str:
    """Return an undefined name as people write it: keys of pgf without the root of their path."""
    if diagnosis.kind is not ErrorKind.UNDEFINED_KEY:
        return diagnosis.name
    root = next((root for root in _ROOTS if diagnosis.name.startswith(root)), "")
    return diagnosis.name.removeprefix(root)


def _providers(diagnosis: Diagnosis, error: LoggedError, index: TexIndex) -> tuple[Provider, ...]:
    name = diagnosis.name
    match diagnosis.kind:
        case ErrorKind.UNDEFINED_COMMAND:
            return index.providers_of_command(name)
        case ErrorKind.UNDEFINED_ENVIRONMENT:
            return index.providers_of_environment(name)
        case ErrorKind.UNDEFINED_FILE:
            return index.providers_of_file(name)
        case ErrorKind.UNDEFINED_KEY if "tikz library" in error.message:
            return index.providers_of_file(f"tikzlibrary{name}.code.tex")
        case ErrorKind.UNDEFINED_KEY if "pgflibrarypgfplots" in error.message:
            return index.providers_of_file(f"tikzlibrarypgfplots.{name}.code.tex")
        case ErrorKind.UNDEFINED_KEY:
            return index.providers_of_key(name)
        case _:
            return ()
