from typing import Any

import numpy as np
from numpy.typing import NDArray

def sum_trees(
    table: NDArray[np.float32],
    *columns_thresholds_lower_higher_values_sums: NDArray[Any],
) -> None: ...
