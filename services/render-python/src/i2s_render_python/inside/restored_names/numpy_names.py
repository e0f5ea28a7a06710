"""Names of numpy up to 1.26, those of the types of Python up to 1.23.

Methods of arrays, such as ``ptp``, cannot be put back: their type takes no attributes.
"""

from __future__ import annotations

from typing import Any

from i2s_render_python.inside.restored_names.changes import Change, aliases, attribute, renamed, values

_ALIASES = {
    "Inf": "inf",
    "Infinity": "inf",
    "NAN": "nan",
    "NaN": "nan",
    "PINF": "inf",
    "infty": "inf",
    "alltrue": "all",
    "bool8": "bool_",
    "cfloat": "complex128",
    "clongfloat": "clongdouble",
    "complex_": "complex128",
    "cumproduct": "cumprod",
    "float_": "float64",
    "in1d": "isin",
    "int0": "intp",
    "longcomplex": "clongdouble",
    "longfloat": "longdouble",
    "mat": "asmatrix",
    "object0": "object_",
    "product": "prod",
    "rank": "ndim",
    "round_": "round",
    "singlecomplex": "complex64",
    "sometrue": "any",
    "str0": "str_",
    "string_": "bytes_",
    "trapz": "trapezoid",
    "uint0": "uintp",
    "unicode_": "str_",
    "AxisError": "exceptions.AxisError",
    "ComplexWarning": "exceptions.ComplexWarning",
    "ModuleDeprecationWarning": "exceptions.ModuleDeprecationWarning",
    "RankWarning": "exceptions.RankWarning",
    "TooHardError": "exceptions.TooHardError",
    "VisibleDeprecationWarning": "exceptions.VisibleDeprecationWarning",
    "byte_bounds": "lib.array_utils.byte_bounds",
    "find_common_type": "promote_types",
    "issubsctype": "issubdtype",
}
_OF_PYTHON: dict[str, type] = {
    "complex": complex,
    "float": float,
    "int": int,
    "object": object,
    "str": str,
    "unicode": str,
}


def _asfarray(a: Any, dtype: Any = float) -> Any:  # noqa: ANN401 - what numpy takes
    return attribute("numpy").asarray(a, dtype=dtype)


def _msort(a: Any) -> Any:  # noqa: ANN401
    return attribute("numpy").sort(a, axis=0)


def _disp(mesg: object, device: Any = None, linefeed: bool = True) -> None:  # noqa: ANN401
    print(mesg, file=device, end="\n" if linefeed else "")


def _asscalar(a: Any) -> Any:  # noqa: ANN401
    return a.item()


CHANGES: dict[str, Change] = {
    **aliases(
        {
            "numpy.math": "math",
        }
    ),
    **values(
        {
            "numpy.NINF": float("-inf"),
            "numpy.NZERO": -0.0,
            "numpy.PZERO": 0.0,
            "numpy.asfarray": _asfarray,
            "numpy.asscalar": _asscalar,
            "numpy.disp": _disp,
            "numpy.issubclass_": issubclass,
            "numpy.msort": _msort,
        }
    ),
    **aliases({f"numpy.{old}": f"numpy.{new}" for old, new in _ALIASES.items()}),
    **values({f"numpy.{old}": new for old, new in _OF_PYTHON.items()}),
    "numpy.histogram(normed)": renamed("numpy.histogram", "numpy.histogram2d", normed="density"),
}
