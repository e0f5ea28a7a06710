"""Names of networkx, scikit-learn, Pillow, shapely, and of Python itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from i2s_render_python.inside.restored_names.changes import (
    Change,
    aliases,
    attribute,
    modules,
    put,
    renamed,
    values,
)

_ABSTRACT = (
    "Callable",
    "Hashable",
    "Iterable",
    "Iterator",
    "Mapping",
    "MutableMapping",
    "MutableSequence",
    "Sequence",
    "Set",
    "Sized",
)
_SKLEARN_MODULES = {
    "sklearn.cross_validation": "sklearn.model_selection",
    "sklearn.datasets.samples_generator": "sklearn.datasets",
    "sklearn.ensemble.forest": "sklearn.ensemble",
    "sklearn.externals.joblib": "joblib",
    "sklearn.grid_search": "sklearn.model_selection",
    "sklearn.learning_curve": "sklearn.model_selection",
    "sklearn.linear_model.base": "sklearn.linear_model",
    "sklearn.manifold.t_sne": "sklearn.manifold",
    "sklearn.neighbors.kde": "sklearn.neighbors",
}
_SHAPES = ("MultiPoint", "MultiLineString", "MultiPolygon", "GeometryCollection")


def _info(graph: Any) -> str:  # noqa: ANN401
    lines = [f"Number of nodes: {graph.number_of_nodes()}", f"Number of edges: {graph.number_of_edges()}"]
    return "\n".join(lines)


def _to_numpy_matrix(graph: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
    return attribute("numpy").asmatrix(attribute("networkx").to_numpy_array(graph, *args, **kwargs))


def _subgraphs(graph: Any, copy: bool = True) -> Iterator[Any]:  # noqa: ANN401
    for nodes in attribute("networkx").connected_components(graph):
        part = graph.subgraph(nodes)
        yield part.copy() if copy else part


def _textsize(self: Any, text: str, font: Any = None, **_: object) -> tuple[int, int]:  # noqa: ANN401
    box = self.textbbox((0, 0), text, font=font)
    return int(box[2]), int(box[3])


def _getsize(self: Any, text: str, *_: object, **__: object) -> tuple[int, int]:  # noqa: ANN401
    box = self.getbbox(text)
    return int(box[2]), int(box[3])


def _parts(self: Any) -> Iterator[Any]:  # noqa: ANN401
    parts: Iterator[Any] = iter(self.geoms)
    return parts


def _mean_squared_error() -> None:
    path = "sklearn.metrics.mean_squared_error"
    inner, root = attribute(path), attribute("sklearn.metrics.root_mean_squared_error")

    def error(*args: Any, squared: bool = True, **kwargs: Any) -> Any:  # noqa: ANN401
        return (inner if squared else root)(*args, **kwargs)

    put(path, error)


CHANGES: dict[str, Change] = {
    **aliases(
        {
            "networkx.Graph.selfloop_edges": "networkx.selfloop_edges",
            "networkx.OrderedDiGraph": "networkx.DiGraph",
            "networkx.OrderedGraph": "networkx.Graph",
            "networkx.adj_matrix": "networkx.adjacency_matrix",
            "networkx.from_numpy_matrix": "networkx.from_numpy_array",
            "networkx.from_pandas_dataframe": "networkx.from_pandas_edgelist",
            "networkx.from_scipy_sparse_matrix": "networkx.from_scipy_sparse_array",
            "networkx.nx": "networkx",
            "networkx.pagerank_numpy": "networkx.pagerank",
            "networkx.random_tree": "networkx.random_labeled_tree",
            "networkx.to_scipy_sparse_matrix": "networkx.to_scipy_sparse_array",
            "PIL.Image.ANTIALIAS": "PIL.Image.LANCZOS",
            "shapely.ops.cascaded_union": "shapely.ops.unary_union",
            "fractions.gcd": "math.gcd",
            "inspect.getargspec": "inspect.getfullargspec",
            "time.clock": "time.process_time",
        }
    ),
    **values(
        {
            "networkx.Graph.nodes_iter": lambda self, **given: iter(self.nodes(**given)),
            "networkx.Graph.edges_iter": lambda self, **given: iter(self.edges(**given)),
            "networkx.Graph.node": property(lambda self: self.nodes),
            "networkx.connected_component_subgraphs": _subgraphs,
            "networkx.info": _info,
            "networkx.to_numpy_matrix": _to_numpy_matrix,
            "PIL.ImageDraw.ImageDraw.textsize": _textsize,
            "PIL.ImageFont.FreeTypeFont.getsize": _getsize,
        }
    ),
    **modules(_SKLEARN_MODULES),
    "sklearn.cluster.AgglomerativeClustering(affinity)": renamed(
        "sklearn.cluster.AgglomerativeClustering.__init__", affinity="metric"
    ),
    "sklearn.cluster.KMeans(n_jobs)": renamed("sklearn.cluster.KMeans.__init__", n_jobs=None),
    "sklearn.manifold.TSNE(n_iter)": renamed("sklearn.manifold.TSNE.__init__", n_iter="max_iter"),
    "sklearn.metrics.mean_squared_error(squared)": _mean_squared_error,
    "sklearn.preprocessing.OneHotEncoder(sparse)": renamed(
        "sklearn.preprocessing.OneHotEncoder.__init__", sparse="sparse_output"
    ),
    **values({f"shapely.geometry.{shape}.__iter__": _parts for shape in _SHAPES}),
    **aliases({f"collections.{name}": f"collections.abc.{name}" for name in _ABSTRACT}),
}
