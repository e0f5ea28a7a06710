"""Names of scipy from 1.0 to 1.13."""

from __future__ import annotations

from typing import Any

from i2s_render_python.inside.restored_names.changes import Change, aliases, attribute, values

_WINDOWS = """
    barthann bartlett blackman blackmanharris bohman boxcar chebwin cosine exponential flattop gaussian
    general_gaussian hamming hann kaiser nuttall parzen triang tukey
"""
#: Functions of numpy that the module scipy had too.
_OF_NUMPY = """
    absolute arange arccos arcsin arctan array asarray average ceil concatenate cos cosh cumsum diff dot
    e exp eye floor hstack inf linspace log log10 log2 logspace max mean median meshgrid min mod nan
    ones outer pi power prod real round sign sin sinh sqrt std sum tan tanh unique var vstack where
    zeros zeros_like
"""


def _ricker(points: int, a: float) -> Any:  # noqa: ANN401
    np = attribute("numpy")
    at = (np.arange(points) - (points - 1.0) / 2) ** 2 / a**2
    return 2 / (np.sqrt(3 * a) * np.pi**0.25) * (1 - at) * np.exp(-at / 2)


def _morlet2(M: int, s: float, w: float = 5) -> Any:  # noqa: ANN401, N803 - a name of old
    np = attribute("numpy")
    x = (np.arange(M) - (M - 1.0) / 2) / s
    return np.sqrt(1 / s) * np.exp(1j * w * x) * np.exp(-0.5 * x**2) * np.pi**-0.25


def _cwt(data: Any, wavelet: Any, widths: Any, dtype: Any = None, **kwargs: Any) -> Any:  # noqa: ANN401
    np = attribute("numpy")
    rows = []
    for width in widths:
        kernel = np.conj(wavelet(int(min(10 * width, len(data))), width, **kwargs)[::-1])
        rows.append(np.convolve(data, kernel, mode="same"))
    return np.array(rows, dtype=dtype)


class _Interp2d:
    """A function of two variables through values on a grid."""

    _DEGREES = {"linear": 1, "cubic": 3, "quintic": 5}  # noqa: RUF012 - never changed

    def __init__(self, x: Any, y: Any, z: Any, kind: str = "linear", **_: object) -> None:  # noqa: ANN401
        np = attribute("numpy")
        degree = self._DEGREES[kind]
        columns, rows = np.unique(x), np.unique(y)
        grid = np.reshape(z, (len(rows), len(columns)))
        spline = attribute("scipy.interpolate.RectBivariateSpline")
        self._spline = spline(columns, rows, grid.T, kx=degree, ky=degree)

    def __call__(self, x: Any, y: Any) -> Any:  # noqa: ANN401
        np = attribute("numpy")
        return np.squeeze(self._spline(np.sort(np.atleast_1d(x)), np.sort(np.atleast_1d(y))).T)


def _derivative(func: Any, x0: Any, dx: float = 1.0, n: int = 1, args: Any = (), order: int = 3) -> Any:  # noqa: ANN401
    """Return a central difference of an odd number of points."""
    np = attribute("numpy")
    at = np.arange(order) - order // 2
    system = np.vander(at, increasing=True).T.astype(float)
    wanted = np.zeros(order)
    wanted[n] = attribute("math").factorial(n)
    weights = np.linalg.solve(system, wanted)
    return sum(w * func(x0 + k * dx, *args) for w, k in zip(weights, at, strict=True)) / dx**n


def _sph_harm(m: Any, n: Any, theta: Any, phi: Any) -> Any:  # noqa: ANN401
    return attribute("scipy.special.sph_harm_y")(n, m, phi, theta)


def _binom_test(x: Any, n: Any = None, p: float = 0.5, alternative: str = "two-sided") -> float:  # noqa: ANN401
    pvalue: float = attribute("scipy.stats.binomtest")(x, n, p, alternative).pvalue
    return pvalue


def _simps(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1, even: object = None) -> Any:  # noqa: ANN401
    return attribute("scipy.integrate").simpson(y, x=x, dx=dx, axis=axis)


def _cumtrapz(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1, initial: Any = None) -> Any:  # noqa: ANN401
    return attribute("scipy.integrate").cumulative_trapezoid(y, x=x, dx=dx, axis=axis, initial=initial)


def _median_absolute_deviation(x: Any, **given: Any) -> Any:  # noqa: ANN401
    return attribute("scipy.stats").median_abs_deviation(x, **{"scale": "normal", **given})


def _dense(name: str) -> dict[str, Change]:
    """Return the changes that give sparse matrices and arrays an attribute with their dense form."""
    sparse = ("csr", "csc", "coo", "lil", "dia", "dok", "bsr")
    paths = [f"scipy.sparse.{kind}_{form}.{name}" for kind in sparse for form in ("array", "matrix")]
    return values({path: property(lambda self: self.toarray()) for path in paths})


CHANGES: dict[str, Change] = {
    **aliases(
        {
            "scipy.integrate.trapz": "scipy.integrate.trapezoid",
            "scipy.misc.comb": "scipy.special.comb",
            "scipy.misc.factorial": "scipy.special.factorial",
            "scipy.rand": "numpy.random.rand",
            "scipy.randn": "numpy.random.randn",
        }
    ),
    **values(
        {
            "scipy.integrate.cumtrapz": _cumtrapz,
            "scipy.integrate.simps": _simps,
            "scipy.interpolate.interp2d": _Interp2d,
            "scipy.misc.derivative": _derivative,
            "scipy.signal.cwt": _cwt,
            "scipy.signal.morlet2": _morlet2,
            "scipy.signal.ricker": _ricker,
            "scipy.special.sph_harm": _sph_harm,
            "scipy.stats.binom_test": _binom_test,
            "scipy.stats.median_absolute_deviation": _median_absolute_deviation,
        }
    ),
    **aliases({f"scipy.signal.{name}": f"scipy.signal.windows.{name}" for name in _WINDOWS.split()}),
    **aliases({f"scipy.{name}": f"numpy.{name}" for name in _OF_NUMPY.split()}),
    **_dense("A"),
}
