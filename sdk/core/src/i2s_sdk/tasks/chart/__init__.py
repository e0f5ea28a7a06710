"""Chart to code: an image of a chart, to be answered with a Python program that draws it."""
