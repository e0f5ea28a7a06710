"""The choice between locked fonts and those of the machine."""

from typing import Literal

FontSource = Literal["locked", "system"]
