"""Memory that is needed for a while, in large pages.

A page is handed out when it is first written to, and that takes longer than to fill it. numpy asks for large
pages from 4 MB on, and they come for the parts that begin and end where such a page does. Where a system has
none, this is memory like any other.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Item = TypeVar("Item", bound=np.generic)

PAGE = 1 << 21
WORTH_IT = 1 << 20
ASKED_FROM = 1 << 22


def scratch(shape: int | tuple[int, ...], dtype: type[Item]) -> NDArray[Item]:
    """Give an array whose values are whatever was there.

    Examples
    --------
    >>> scratch((2, 3), np.int32).shape
    (2, 3)
    """
    needed = int(np.prod(shape)) * np.dtype(dtype).itemsize
    if needed < WORTH_IT:
        return np.empty(shape, dtype)
    # What is not written to takes no memory.
    block = np.empty(max(-(-needed // PAGE) * PAGE + PAGE, ASKED_FROM), np.uint8)
    begin = -block.ctypes.data % PAGE
    return block[begin : begin + needed].view(dtype).reshape(shape)
