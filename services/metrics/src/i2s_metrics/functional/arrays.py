"""The array types that the definitions speak of."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

#: Colours, shape (height, width, 3), values 0 to 255.
RgbArray: TypeAlias = NDArray[np.uint8]
#: Grey levels as Pillow's ``convert("L")`` gives them, shape (height, width), values 0 to 255.
GreyArray: TypeAlias = NDArray[np.uint8]
FloatArray: TypeAlias = NDArray[np.float64]
BoolArray: TypeAlias = NDArray[np.bool_]
IntArray: TypeAlias = NDArray[np.int64]
#: Sums of levels or of their products.
SumArray: TypeAlias = NDArray[np.int32]
