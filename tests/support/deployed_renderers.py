"""A renderer of no package: what a deployment is told of it."""

from i2s_wire.render.request import GenericSource
from i2s_wire.renderer import Need, RendererSpec

RENDER_DOT = RendererSpec(
    name="render-dot",
    title="Graphviz renderer",
    languages=("dot",),
    suffixes=(".dot", ".gv"),
    port=7791,
    canary=GenericSource("dot", "graph.dot", {"graph.dot": b"digraph { a -> b }"}),
    needs=(
        Need(package="graphviz", check="command", argument="dot", purpose="the command dot"),
        Need(package="fontconfig", check="command", argument="fc-list", purpose="the command fc-list"),
    ),
)
