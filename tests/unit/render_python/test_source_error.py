"""Which errors are about names that libraries have removed: by the words of Python and of the libraries."""

import pytest

from i2s_render_python.result import ProgramError
from i2s_render_python.source_error import removed_name, rule, source_error
from i2s_wire.render.source_error import ErrorKind, Provider, ProviderKind, Undefined

AXES = "matplotlib.axes.Axes"
FREQUENCY = 'Invalid frequency: {0}. Failed to parse with error message: ValueError("…").'


@pytest.mark.parametrize(
    ("kind", "text", "name"),
    [
        ("AttributeError", "module 'matplotlib.cm' has no attribute 'get_cmap'", "matplotlib.cm.get_cmap"),
        ("AttributeError", "`np.float_` was removed in the NumPy 2.0 release. Use …", "numpy.float_"),
        ("AttributeError", "module 'numpy' has no attribute 'int'.\n`np.int` was a …", "numpy.int"),
        ("AttributeError", "Module 'scipy' has no attribute 'sin'", "scipy.sin"),
        ("AttributeError", "nx.random_tree was removed in version 3.4. Use …", "networkx.random_tree"),
        ("AttributeError", "'DataFrame' object has no attribute 'append'", "pandas.DataFrame.append"),
        ("AttributeError", "'Series' object has no attribute 'append'", "pandas.Series.append"),
        ("AttributeError", "'DiGraph' object has no attribute 'node'", "networkx.Graph.node"),
        ("AttributeError", "'PolarAxes' object has no attribute 'hold'", f"{AXES}.hold"),
        (
            "AttributeError",
            "'FigureCanvasAgg' object has no attribute 'set_window_title'",
            "matplotlib.backend_bases.FigureCanvasBase.set_window_title",
        ),
        (
            "AttributeError",
            "Line2D.set() got an unexpected keyword argument 'hold'",
            "matplotlib.artist.Artist.set(hold)",
        ),
        (
            "AttributeError",
            "Polygon.set() got an unexpected keyword argument 'normed'",
            f"{AXES}.hist(normed)",
        ),
        (
            "ImportError",
            "cannot import name 'simps' from 'scipy.integrate' (/usr/…)",
            "scipy.integrate.simps",
        ),
        ("ImportError", "cannot import name 'Iterable' from 'collections' (/usr/…)", "collections.Iterable"),
        ("ModuleNotFoundError", "No module named 'sklearn.cross_validation'", "sklearn.cross_validation"),
        ("NotImplementedError", "`interp2d` has been removed in SciPy 1.14.0.", "scipy.interpolate.interp2d"),
        ("TypeError", "boxplot() got an unexpected keyword argument 'labels'", f"{AXES}.boxplot(labels)"),
        (
            "TypeError",
            "Axes.boxplot() got an unexpected keyword argument 'labels'",
            f"{AXES}.boxplot(labels)",
        ),
        (
            "TypeError",
            "FigureBase.gca() got an unexpected keyword argument 'polar'",
            "matplotlib.figure.Figure.gca(projection)",
        ),
        (
            "TypeError",
            "FacetGrid.__init__() got an unexpected keyword argument 'size'",
            "seaborn.FacetGrid(size)",
        ),
        (
            "TypeError",
            "LogScale.__init__() got an unexpected keyword argument 'basey'",
            f"{AXES}.set_xscale(basex)",
        ),
        (
            "TypeError",
            "FigureCanvasAgg.print_png() got an unexpected keyword argument 'quality'",
            "matplotlib.figure.Figure.savefig(frameon)",
        ),
        ("TypeError", "barplot() got multiple values for argument 'data'", "seaborn.barplot(positional)"),
        (
            "TypeError",
            "regplot() takes from 0 to 1 positional arguments but 3 were given",
            "seaborn.regplot(positional)",
        ),
        (
            "TypeError",
            "Polygon.__init__() takes 2 positional arguments but 3 were given",
            "matplotlib.patches.Polygon(positional)",
        ),
        ("TypeError", "annotate() missing 1 required positional argument: 'text'", f"{AXES}.annotate(s)"),
        ("TypeError", "'MultiPolygon' object is not iterable", "shapely.geometry.MultiPolygon.__iter__"),
        ("ValueError", FREQUENCY.format("M"), "pandas frequency M"),
        ("ValueError", FREQUENCY.format("6H"), "pandas frequency H"),
        ("ValueError", FREQUENCY.format("Q-DEC"), "pandas frequency Q"),
        ("ValueError", "keyword grid_b is not recognized; valid keywords are …", f"{AXES}.grid(b)"),
        (
            "ValueError",
            "Unable to determine Axes to steal space for Colorbar. Either …",
            "matplotlib.figure.Figure.colorbar(ax)",
        ),
        (
            "OSError",
            "'seaborn-whitegrid' is not a valid package style, path of …",
            "matplotlib.style seaborn-whitegrid",
        ),
        ("OSError", "'seaborn' is not a valid package style, path of …", "matplotlib.style seaborn"),
        ("KeyError", "\"'Vega20' is not a valid value for colormap.\"", "matplotlib.cm.Vega20"),
    ],
)
def test_an_error_about_a_removed_name_names_it(kind, text, name):
    assert removed_name(ProgramError(type=kind, text=text)) == name


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("AttributeError", "module 'numpy' has no attribute 'nothing_such'"),
        ("AttributeError", "'list' object has no attribute 'iteritems'"),
        ("TypeError", "f() takes 1 positional argument but 2 were given"),
        ("TypeError", "plot() got an unexpected keyword argument 'labels'"),
        ("OSError", "'science' is not a valid package style, path of …"),
        ("ValueError", FREQUENCY.format("XX")),
        ("ValueError", ""),
    ],
)
def test_other_errors_name_nothing(kind, text):
    assert removed_name(ProgramError(type=kind, text=text)) == ""


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (
            ProgramError(type="AttributeError", text="module 'numpy' has no attribute 'int'"),
            ErrorKind.UNDEFINED_COMMAND,
        ),
        (ProgramError(type="ValueError", text=FREQUENCY.format("M")), ErrorKind.UNDEFINED_KEY),
        (
            ProgramError(type="TypeError", text="grid() got an unexpected keyword argument 'b'"),
            ErrorKind.UNDEFINED_KEY,
        ),
        (
            ProgramError(
                type="ModuleNotFoundError",
                text="No module named 'sklearn.lda'; 'sklearn.grid_search' is no name that …",
                name="sklearn.grid_search",
                missing=True,
            ),
            ErrorKind.UNDEFINED_FILE,
        ),
    ],
)
def test_a_removed_name_is_its_own_provider(error, kind):
    text = error.text if not error.missing else "No module named 'sklearn.grid_search'"
    found = source_error(error.model_copy(update={"text": text}), ("numpy",))
    name = removed_name(error.model_copy(update={"text": text}))
    assert (found.kind, found.undefined) == (
        kind,
        Undefined(name, (Provider(ProviderKind.RESTORED_NAME, name),)),
    )
    assert found.message == f"{error.type}: {text}"


LIBRARIES = ("matplotlib", "numpy")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            ProgramError(
                type="PermissionError", text="[Errno 13] Permission denied: '/w/.cache/matplotlib/tex.cache'"
            ),
            "no LaTeX in this sandbox",
        ),
        (
            ProgramError(
                type="RuntimeError", text="Failed to process string with tex because latex could not be found"
            ),
            "no LaTeX in this sandbox",
        ),
        (
            ProgramError(
                type="FileNotFoundError",
                text="[Errno 2] No such file or directory",
                module="multiprocessing.synchronize",
            ),
            "no shared memory in this sandbox",
        ),
        (ProgramError(type="URLError", text="<urlopen error …>", module="urllib.request"), "no network"),
        (ProgramError(type="OSError", text="[Errno 97] Address family …", module="socket"), "no network"),
        (
            ProgramError(type="FileNotFoundError", text="… 'ls'", module="subprocess"),
            "starts no other programs",
        ),
        (
            ProgramError(
                type="ModuleNotFoundError",
                text="No module named 'plotly'",
                name="plotly.express",
                missing=True,
            ),
            "these libraries: matplotlib, numpy",
        ),
        (
            ProgramError(type="ImportError", text="requires pygraphviz", module="networkx"),
            "these libraries: matplotlib",
        ),
        (ProgramError(type="ModuleNotFoundError", text="…", name="tkinter", missing=True), "no display"),
        (ProgramError(type="EOFError", text="EOF when reading a line"), "standard input is empty"),
        (ProgramError(type="PermissionError", text="… '/etc/x'"), "its own folder only"),
        (
            ProgramError(type="FileNotFoundError", text="… 'data.csv'"),
            "Only files that came with the program",
        ),
    ],
)
def test_the_rule_that_is_the_cause_is_named(error, words):
    assert words in rule(error, LIBRARIES)
    assert words in source_error(error, LIBRARIES).message


@pytest.mark.parametrize(
    "error",
    [
        ProgramError(type="ValueError", text="x"),
        ProgramError(type="OSError", text="x", module="numpy"),
        ProgramError(type="ImportError", text="cannot import name 'x'", name="m", module="__main__"),
        ProgramError(type="ModuleNotFoundError", text="x", name="msvcrt", missing=True),
        ProgramError(type="FileNotFoundError", text="x"),
    ],
)
def test_other_errors_are_left_in_the_words_of_python(error):
    assert rule(error, LIBRARIES) == ""
