# cython: language_level=3, boundscheck=False, wraparound=False
"""``Trees.sums`` in compiled code, by following the path of each row."""


def sum_trees(
    const float[:, ::1] table,
    const short[:, ::1] columns,
    const float[:, ::1] thresholds,
    const short[:, ::1] lower,
    const short[:, ::1] higher,
    const float[:, ::1] values,
    double[::1] sums,
):
    cdef Py_ssize_t row, tree
    cdef short node, below
    cdef double total
    for row in range(table.shape[0]):
        total = 0
        for tree in range(columns.shape[0]):
            node = 0
            while True:
                if table[row, columns[tree, node]] > thresholds[tree, node]:
                    below = higher[tree, node]
                else:
                    below = lower[tree, node]
                if below == node:
                    break
                node = below
            total += values[tree, node]
        sums[row] = total
