"""All articles of the data set."""

from readoc_items.ferries import FERRIES
from readoc_items.medians import MEDIANS
from readoc_items.teapots import TEAPOTS
from readoc_items.tilings import TILINGS

#: The articles in the order of the index.
ARTICLES = (TILINGS, TEAPOTS, MEDIANS, FERRIES)
