"""Names of pandas from 0.23 to 2.3."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from i2s_render_python.inside.restored_names.changes import (
    Change,
    aliases,
    attribute,
    positional,
    put,
    renamed,
    values,
)

_FRAME, _SERIES, _BOTH = "pandas.DataFrame", "pandas.Series", ("pandas.DataFrame", "pandas.Series")
#: Frequencies by their names of old.
FREQUENCIES = {
    "A": "YE",
    "AS": "YS",
    "BA": "BYE",
    "BAS": "BYS",
    "BH": "bh",
    "BM": "BME",
    "BQ": "BQE",
    "BY": "BYE",
    "CBH": "cbh",
    "CBM": "CBME",
    "H": "h",
    "L": "ms",
    "M": "ME",
    "N": "ns",
    "Q": "QE",
    "S": "s",
    "SM": "SME",
    "T": "min",
    "U": "us",
    "Y": "YE",
    "m": "ME",
}
#: Frequencies of periods, which are not at an end.
_OF_PERIODS = {"A": "Y", "H": "h", "L": "ms", "N": "ns", "S": "s", "T": "min", "U": "us", "m": "M"}
_ALIAS = re.compile(r"([A-Za-z]+)(?=-|\b|$|\d)")
#: Functions that take a frequency, and its place among the arguments by position.
_TAKERS = {
    "pandas.date_range": 3,
    "pandas.DataFrame.resample": 1,
    "pandas.Series.resample": 1,
    "pandas.DataFrame.asfreq": 1,
    "pandas.Series.asfreq": 1,
    "pandas.DataFrame.shift": 2,
    "pandas.Series.shift": 2,
    "pandas.Grouper.__init__": 2,
    "pandas.DatetimeIndex.floor": 1,
    "pandas.DatetimeIndex.ceil": 1,
    "pandas.DatetimeIndex.round": 1,
    "pandas.DatetimeIndex.shift": 2,
    "pandas.core.indexes.accessors.DatetimeProperties.floor": 1,
    "pandas.core.indexes.accessors.DatetimeProperties.ceil": 1,
    "pandas.core.indexes.accessors.DatetimeProperties.round": 1,
}
_TAKERS_OF_PERIODS = {
    "pandas.period_range": 3,
    "pandas.DatetimeIndex.to_period": 1,
    "pandas.DataFrame.to_period": 1,
    "pandas.Series.to_period": 1,
    "pandas.core.indexes.accessors.DatetimeProperties.to_period": 1,
}
_NAMES = ("freq", "rule")
_STATISTICS = ("mean", "std", "sum", "max", "min", "median")


def _frequency(old: str) -> Change:
    """Return the change by which functions of pandas understand a frequency by its name of old."""

    def change() -> None:
        for takers, names in ((_TAKERS, FREQUENCIES), (_TAKERS_OF_PERIODS, _OF_PERIODS)):
            if old in names:
                for path, place in takers.items():
                    _translate(path, place, old, names[old])

    return change


def _translate(path: str, place: int, old: str, new: str) -> None:
    inner = attribute(path)

    def translated(given: Any) -> Any:  # noqa: ANN401
        if not isinstance(given, str):
            return given
        return _ALIAS.sub(lambda match: new if match[1] == old else match[1], given, count=1)

    def outer(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        if len(args) > place:
            args = (*args[:place], translated(args[place]), *args[place + 1 :])
        return inner(*args, **{k: translated(v) if k in _NAMES else v for k, v in kwargs.items()})

    put(path, outer)


def _append(self: Any, other: Any, ignore_index: bool = False, **_: object) -> Any:  # noqa: ANN401
    pd = attribute("pandas")
    others = list(other) if isinstance(other, list | tuple) else [other]
    if isinstance(self, pd.DataFrame):
        rows = [pd.Series(row) if isinstance(row, dict) else row for row in others]
        others = [row.to_frame().T.infer_objects() if isinstance(row, pd.Series) else row for row in rows]
    filled = [row for row in (self, *others) if len(row)]
    return pd.concat(filled or [self, *others], ignore_index=ignore_index)


def _items(self: Any) -> Iterator[Any]:  # noqa: ANN401
    items: Iterator[Any] = self.items()
    return items


def _mad(self: Any, axis: int = 0) -> Any:  # noqa: ANN401
    if self.ndim == 1:
        return (self - self.mean()).abs().mean()
    return self.sub(self.mean(axis=axis), axis=1 - axis).abs().mean(axis=axis)


def _fillna() -> None:
    for place in _BOTH:
        inner = attribute(f"{place}.fillna")

        def fillna(
            self: Any,  # noqa: ANN401
            value: Any = None,  # noqa: ANN401
            *args: Any,  # noqa: ANN401
            inner: Any = inner,  # noqa: ANN401
            method: str | None = None,
            **kwargs: Any,  # noqa: ANN401
        ) -> Any:  # noqa: ANN401
            if method is None:
                return inner(self, value, *args, **kwargs)
            return (self.ffill if method in ("ffill", "pad") else self.bfill)(*args, **kwargs)

        put(f"{place}.fillna", fillna)


def _rolling(name: str) -> object:
    def rolling(data: Any, window: int, min_periods: int | None = None, **_: object) -> Any:  # noqa: ANN401
        return getattr(data.rolling(window, min_periods=min_periods), name)()

    return rolling


def _week(self: Any) -> Any:  # noqa: ANN401
    return attribute("pandas").Index(self.isocalendar().week, dtype="int64")


def _value_counts(values: Any, **given: Any) -> Any:  # noqa: ANN401
    return attribute("pandas").Series(values).value_counts(**given)


def _first(self: Any, offset: Any) -> Any:  # noqa: ANN401
    return self[self.index < self.index[0] + attribute("pandas.tseries.frequencies.to_offset")(offset)]


def _last(self: Any, offset: Any) -> Any:  # noqa: ANN401
    return self[self.index > self.index[-1] - attribute("pandas.tseries.frequencies.to_offset")(offset)]


def _of_both(place: str) -> dict[str, Change]:
    """Return the changes of a class, data frames or series."""
    functions = {"append": _append, "first": _first, "iteritems": _items, "last": _last, "mad": _mad}
    return {
        **values({f"{place}.{name}": function for name, function in functions.items()}),
        **aliases({f"{place}.pad": f"{place}.ffill", f"{place}.backfill": f"{place}.bfill"}),
    }


CHANGES: dict[str, Change] = {
    **aliases(
        {
            f"{_FRAME}.applymap": f"{_FRAME}.map",
            f"{_FRAME}.sort": f"{_FRAME}.sort_values",
            f"{_SERIES}.order": f"{_SERIES}.sort_values",
            f"{_SERIES}.is_monotonic": f"{_SERIES}.is_monotonic_increasing",
            "pandas.Float64Index": "pandas.Index",
            "pandas.Int64Index": "pandas.Index",
            "pandas.datetime": "datetime.datetime",
            "pandas.np": "numpy",
            "pandas.scatter_matrix": "pandas.plotting.scatter_matrix",
        }
    ),
    **values(
        {
            f"{_FRAME}.as_matrix": lambda self: self.to_numpy(),
            f"{_FRAME}.swapaxes": lambda self, *_: self.T,
            "pandas.DatetimeIndex.week": property(_week),
            "pandas.DatetimeIndex.weekofyear": property(_week),
            "pandas.value_counts": _value_counts,
            **{f"pandas.rolling_{name}": _rolling(name) for name in _STATISTICS},
        }
    ),
    **{f"pandas frequency {name}": _frequency(name) for name in FREQUENCIES},
    **{name: change for place in _BOTH for name, change in _of_both(place).items()},
    "pandas.Series.fillna(method)": _fillna,
    "pandas.DataFrame.drop(positional)": positional(
        *(f"{place}.drop" for place in _BOTH), order=("axis", "index", "columns", "level", "inplace"), kept=2
    ),
    "pandas.DataFrame.pivot(positional)": positional(
        f"{_FRAME}.pivot", order=("index", "columns", "values"), kept=1
    ),
    "pandas.Series.str.split(positional)": positional(
        "pandas.core.strings.accessor.StringMethods.split", order=("n", "expand"), kept=2
    ),
    "pandas.date_range(closed)": renamed("pandas.date_range", closed="inclusive"),
    "pandas.to_datetime(infer_datetime_format)": renamed("pandas.to_datetime", infer_datetime_format=None),
}
