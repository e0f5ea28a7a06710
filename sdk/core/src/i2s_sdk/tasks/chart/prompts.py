"""What a model is asked: for the chart of an image, or for one in the style of an image."""

from __future__ import annotations

from i2s_sdk.instances.instance import Instance

#: The image is the chart.
PROMPT = (
    "Write a Python program that uses matplotlib and draws the chart of this image as exactly as possible: "
    "the same kind of chart, the same data, texts, colours, axes and layout, and the same size of the "
    "figure. All data must be in the program. Answer with the program alone, in one fenced block of Python."
)
#: The image is a chart with other data; the instruction follows.
STYLE_PROMPT = (
    "Write a Python program that uses matplotlib and draws the chart that the following instruction asks "
    "for, in the style of this image. Answer with the program alone, in one fenced block of Python."
)
INSTRUCTION = "\n\nInstruction:\n"
FIGURE_SIZE = "\n\nThe figure is {width:g} by {height:g} inches."
FILES = "\n\nThe program may read these files: {names}."


def texts(instance: Instance) -> tuple[str, ...]:
    """Return the texts of the question of an instance, in order; the instruction is verbatim."""
    inputs = instance.inputs
    found = [STYLE_PROMPT if "style" in instance.files else PROMPT]
    if inputs.get("figure_size"):
        width, height = inputs["figure_size"]
        found.append(FIGURE_SIZE.format(width=width, height=height))
    if instance.assets:
        found.append(FILES.format(names=", ".join(one.name for one in instance.assets)))
    if inputs.get("instruction"):
        found.append(INSTRUCTION + inputs["instruction"])
    return tuple(found)
