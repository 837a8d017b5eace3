# cython: language_level=3, boundscheck=False, wraparound=False
"""``Trees.sums`` in compiled code, by following the path of each row.

All rows go through a tree before the next one, so that its nodes stay in the cache; the values of a
row are added in the order of the trees.
"""


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
    for tree in range(columns.shape[0]):
        for row in range(table.shape[0]):
            node = 0
            while True:
                if table[row, columns[tree, node]] > thresholds[tree, node]:
                    below = higher[tree, node]
                else:
                    below = lower[tree, node]
                if below == node:
                    break
                node = below
            sums[row] += values[tree, node]
