# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Tables of features, and the trees that are evaluated over them, in compiled code.

Each function gives what one in Python gives, to the last bit: values are added in the same order.
Logarithms are left to numpy, whose last digit is not that of C on all machines.
"""

cimport cython
from libc.math cimport fabs


def sum_trees(
    const float[:, ::1] table,
    const short[:, ::1] columns,
    const float[:, ::1] thresholds,
    const short[:, ::1] lower,
    const short[:, ::1] higher,
    const float[:, ::1] values,
    double[::1] sums,
):
    """``Trees.sums`` by following the path of each row.

    All rows go through a tree before the next one, so that its nodes stay in the cache; the values
    of a row are added in the order of the trees.
    """
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


cdef struct Row:
    # Where the next value of a row of a table is written.
    double* place


cdef inline void put(Row* row, double value) noexcept:
    row.place[0] = value
    row.place += 1


cdef inline double larger(double value, double other) noexcept:
    return value if value > other else other


# The values of segments, in the order of ``SUMMED`` of ``block_features``.
cdef enum:
    LENGTH
    LINKED
    PROBABILITY
    CONTENT
    LIKELY
    UNLIKELY
    HEADING
    LINKED_HEADING
    H1
    COUNT
    DECLARED
    PROSE
    SENTENCES
    DATED
    TITLE_WORDS
    LONG
    IN_RECORDS


cdef struct Block:
    # Its segments, from ``first`` to before ``last``; the kind of its ending, -1 if it has none.
    Py_ssize_t first
    Py_ssize_t last
    Py_ssize_t ending


cdef struct Run:
    # The kept segments of a block: their number, the first one, and the one after the last one;
    # ``gap``: the most characters between two of them.
    Py_ssize_t count
    Py_ssize_t first
    Py_ssize_t last
    double gap


@cython.final
cdef class _Candidates:
    """The running sums of a page, and from them the features of its candidates."""

    cdef const double[:, ::1] values
    cdef double[:, ::1] sums
    cdef double[:, ::1] kept
    cdef const Py_ssize_t[::1] endings
    cdef Py_ssize_t segments
    cdef Py_ssize_t title
    cdef double threshold
    cdef double largest_content
    cdef double max_density

    cdef double page(self, Py_ssize_t name) noexcept:
        """The sum over all segments of the page."""
        return self.sums[name, self.segments]

    cdef double kept_on_page(self, Py_ssize_t name) noexcept:
        return self.kept[name, self.segments]

    cdef double inside(self, Py_ssize_t name, Py_ssize_t first, Py_ssize_t last) noexcept:
        """The sum over some segments."""
        return self.sums[name, last] - self.sums[name, first]

    cdef double kept_inside(self, Py_ssize_t name, Block block) noexcept:
        """The sum over the kept segments of a block."""
        return self.kept[name, block.last] - self.kept[name, block.first]

    cdef void add_up(self) noexcept:
        cdef Py_ssize_t name, segment
        for name in range(self.values.shape[0]):
            self.sums[name, 0] = 0
            for segment in range(self.segments):
                self.sums[name, segment + 1] = self.sums[name, segment] + self.values[name, segment]

    cdef void add_up_kept(self, double threshold) noexcept:
        """Sum the segments whose probability is at least the threshold."""
        cdef Py_ssize_t name, segment
        cdef double value
        self.threshold = threshold
        for name in range(self.values.shape[0]):
            self.kept[name, 0] = 0
            for segment in range(self.segments):
                value = self.values[name, segment] if self.is_kept(segment) else 0
                self.kept[name, segment + 1] = self.kept[name, segment] + value

    cdef bint is_kept(self, Py_ssize_t segment) noexcept:
        return self.values[PROBABILITY, segment] >= self.threshold

    cdef Run find_run(self, Block block) noexcept:
        cdef Run run
        cdef Py_ssize_t segment
        run.count = 0
        run.first = block.first
        run.last = block.first
        run.gap = 0
        for segment in range(block.first, block.last):
            if not self.is_kept(segment):
                continue
            if run.count:
                run.gap = larger(run.gap, self.inside(LENGTH, run.last, segment))
            else:
                run.first = segment
            run.last = segment + 1
            run.count += 1
        return run

    cdef void put_block(self, Row* row, Block block) noexcept:
        """The features of ``_OF_BLOCK``."""
        cdef double page_content = self.page(CONTENT) or 1.0
        cdef double content = self.inside(CONTENT, block.first, block.last)
        cdef double content_after = self.page(CONTENT) - self.sums[CONTENT, block.last]
        cdef double length = self.inside(LENGTH, block.first, block.last)
        cdef double likely = self.inside(LIKELY, block.first, block.last)
        put(row, content / page_content)
        put(row, content / self.largest_content)
        put(row, length)
        put(row, block.last - block.first)
        put(row, self.inside(LINKED, block.first, block.last) / length)
        put(row, likely / (self.page(LIKELY) or 1.0))
        put(row, self.inside(UNLIKELY, block.first, block.last) / length)
        put(row, (2 * content - length) / page_content)
        put(row, self.inside(HEADING, block.first, block.last))
        put(row, self.inside(LINKED_HEADING, block.first, block.last))
        put(row, self.inside(H1, block.first, block.last))
        put(row, self.page(H1))
        put(row, self.sums[CONTENT, block.first] / page_content)
        put(row, content_after / page_content)
        put(row, self.page(LENGTH))
        put(row, self.segments)
        put(row, self.title >= 0)
        put(row, block.first <= self.title < block.last if self.title >= 0 else -1)

    cdef void put_kept(self, Row* row, Block block, Run run) noexcept:
        """The features of ``_OF_CANDIDATE`` before those of the run."""
        cdef double length = self.inside(LENGTH, block.first, block.last)
        cdef double kept_length = larger(self.kept_inside(LENGTH, block), 1)
        cdef double kept_content = self.kept_inside(CONTENT, block)
        cdef double lost_content = self.inside(CONTENT, block.first, block.last) - kept_content
        cdef double run_length = larger(self.inside(LENGTH, run.first, run.last), 1)
        cdef double page_characters = self.kept_on_page(LENGTH)
        cdef double kept_after = page_characters - self.kept[LENGTH, run.last]
        put(row, self.threshold)
        put(row, kept_length / (page_characters if page_characters > 0 else 1.0))
        put(row, kept_length / length)
        put(row, kept_content / kept_length)
        put(row, lost_content / larger(length - kept_length, 1))
        put(row, kept_length)
        put(row, run.count)
        put(row, kept_length / run_length)
        put(row, run.gap / kept_length)
        put(row, run.gap / length)
        put(row, self.kept[LENGTH, run.first] / kept_length)
        put(row, kept_after / kept_length)

    cdef void put_run(self, Row* row, Block block, Run run) noexcept:
        """Where the run is on the page, its headings, and its probabilities."""
        cdef double segments = self.segments
        cdef double run_segments = run.last - run.first
        put(row, run.first / segments)
        put(row, (run.last - 1) / segments)
        put(row, self.sums[LENGTH, run.first] / self.page(LENGTH))
        put(row, self.sums[LENGTH, run.last] / self.page(LENGTH))
        put(row, self.inside(LINKED_HEADING, block.first, run.last))
        put(row, self.inside(HEADING, run.first, run.last))
        put(row, self.inside(PROBABILITY, run.first, run.last) / run_segments)
        put(row, self.values[PROBABILITY, run.first])
        put(row, self.values[PROBABILITY, run.last - 1])

    cdef void put_title(self, Row* row, Block block, Run run) noexcept:
        """Distances from the title, and the linked headings from it to the end."""
        cdef double kept_length = larger(self.kept_inside(LENGTH, block), 1)
        cdef double distance = run.first - self.title
        if self.title < 0:
            put(row, -2)
            put(row, -2)
            put(row, -1)
            put(row, -1)
            return
        put(row, distance / self.segments)
        put(row, self.inside(LENGTH, self.title, run.first) / kept_length)
        put(row, fabs(distance))
        put(row, self.inside(LINKED_HEADING, self.title, run.last))

    cdef void put_declared(self, Row* row, Block block, double page_declared) noexcept:
        """How much of the declared text is kept."""
        cdef double kept_length = larger(self.kept_inside(LENGTH, block), 1)
        cdef double declared = self.kept_inside(DECLARED, block)
        put(row, declared / kept_length if page_declared else -1)
        put(row, declared / page_declared if page_declared else -1)

    cdef void put_context(self, Row* row, Block block, double levels_to, double levels_from) noexcept:
        """The features of ``_CONTEXT``."""
        cdef double kept_length = larger(self.kept_inside(LENGTH, block), 1)
        cdef double kept_count = larger(self.kept_inside(COUNT, block), 1)
        cdef double prose = self.kept_inside(PROSE, block)
        put(row, levels_to)
        put(row, levels_from)
        put(row, prose / kept_length)
        put(row, prose / larger(self.page(PROSE), 1))
        put(row, kept_length / kept_count)
        put(row, self.kept_inside(SENTENCES, block) / kept_length)

    cdef void put_evidence(self, Row* row, Block block, double density) noexcept:
        """The features of ``EVIDENCE``."""
        cdef double length = self.kept_inside(LENGTH, block)
        cdef double length_outside = self.kept_on_page(LENGTH) - length
        cdef double dated = self.kept_inside(DATED, block)
        cdef double words = self.kept_inside(TITLE_WORDS, block)
        cdef double words_outside = self.kept_on_page(TITLE_WORDS) - words
        cdef Py_ssize_t kind
        put(row, density)
        put(row, density / self.max_density)
        put(row, dated)
        put(row, dated / larger(self.kept_on_page(DATED), 1))
        put(row, dated / (self.kept_inside(LONG, block) + 1))
        put(row, self.kept_inside(IN_RECORDS, block) / larger(length, 1))
        put(row, words)
        put(row, words / larger(self.kept_on_page(TITLE_WORDS), 1))
        put(row, words / larger(length, 100))
        put(row, words_outside / larger(length_outside, 100))
        for kind in range(self.endings.shape[0]):
            put(row, block.ending == kind)
        for kind in range(self.endings.shape[0]):
            put(row, block.first < self.endings[kind] < block.last)


def describe_candidates(
    const double[:, ::1] segments,
    const Py_ssize_t[:, ::1] blocks,
    const double[:, ::1] of_nodes,
    const double[::1] thresholds,
    const Py_ssize_t[::1] endings,
    Py_ssize_t title,
    double page_declared,
    double max_density,
    double[:, :, ::1] sums,
    double[:, ::1] table,
    Py_ssize_t[:, ::1] numbers,
):
    """``describe_in_numpy`` of ``block_features``, but without logarithms.

    ``segments``: a row for each of ``SUMMED``; ``blocks``: the rows of ``Block``, with a column for
    each; ``of_nodes``: the levels, the density and the markup of each block; ``sums``: room for the
    running sums of the page, and of its kept segments.  The features of the candidates are written
    to the first rows of ``table``, and the numbers of their thresholds and blocks to ``numbers``.
    Returns how many candidates there are.
    """
    cdef _Candidates candidates = _Candidates()
    cdef Py_ssize_t way, number, column
    cdef Py_ssize_t count = 0
    cdef double levels_to, levels_from, density
    cdef double content
    cdef Block block
    cdef Run run
    cdef Row row
    candidates.values = segments
    candidates.segments = segments.shape[1]
    candidates.sums = sums[0]
    candidates.kept = sums[1]
    candidates.endings = endings
    candidates.title = title
    candidates.max_density = max_density
    candidates.add_up()

    candidates.largest_content = 1e-9
    for number in range(blocks.shape[1]):
        content = candidates.inside(CONTENT, blocks[0, number], blocks[1, number])
        candidates.largest_content = larger(candidates.largest_content, content)

    for way in range(thresholds.shape[0]):
        candidates.add_up_kept(thresholds[way])
        for number in range(blocks.shape[1]):
            block.first = blocks[0, number]
            block.last = blocks[1, number]
            block.ending = blocks[2, number]
            run = candidates.find_run(block)
            if not run.count:
                continue
            levels_to = of_nodes[number, 0]
            levels_from = of_nodes[number, 1]
            density = of_nodes[number, 2]
            row.place = &table[count, 0]
            candidates.put_block(&row, block)
            for column in range(3, of_nodes.shape[1]):
                put(&row, of_nodes[number, column])
            candidates.put_kept(&row, block, run)
            candidates.put_run(&row, block, run)
            candidates.put_title(&row, block, run)
            candidates.put_declared(&row, block, page_declared)
            candidates.put_context(&row, block, levels_to, levels_from)
            candidates.put_evidence(&row, block, density)
            numbers[0, count] = way
            numbers[1, count] = number
            count += 1
    return count


# The values of segments that ``describe_segments`` is given, in the order of ``MEASURED`` of
# ``features``.
cdef enum:
    CHARACTERS
    LINKED_CHARACTERS
    WORDS
    ENDS_SENTENCE
    IN_TITLE
    IN_DESCRIPTION
    REPEATS
    IN_BODY
    STOPS_INSIDE
    DIGITS
    LETTERS
    CAPITALS
    PUNCTUATION

# The sets of tags that it is given as bits, before those of the containers.
cdef enum:
    PICTURE_TAGS
    HEADING_TAGS
    ARTICLE_TAGS
    LINK_TAGS
    H1_TAGS
    CONTAINER_TAGS

# What is computed for each segment, node, leaf, path or list: rows of the scratch table.  Those of
# parents and of nodes around are one further: the parent of the root is -1.
cdef enum:
    RUNNING_OF_PATH
    RUNNING_OF_BLOCK
    RUNNING_OF_PARENT
    RUNNING_OF_GRANDPARENT
    SEGMENTS_OF_PATH
    CHARACTERS_OF_BLOCK
    CHARACTERS_BEFORE
    LEAF_CHARACTERS_BEFORE
    LEAF_LINKED_BEFORE
    PICTURES_BEFORE
    HEADINGS_BEFORE
    SHARED_LEVEL
    ARTICLE_NUMBER
    INNERMOST_LIST
    OUTERMOST_LIST
    LIST_ITEMS
    LIST_CHARACTERS
    LIST_LINKED
    LIST_HEADINGS
    LIST_PICTURES
    SCRATCH_ROWS

cdef enum:
    LOCAL_VALUES = 6

#: The number of rows of the scratch table, and how many columns more than nodes, leaves and
#: segments it has.
SCRATCH = SCRATCH_ROWS
SCRATCH_MARGIN = 2


@cython.final
cdef class _Segments:
    """The segments of a page and the nodes that they are in, and from them their features."""

    cdef const Py_ssize_t[::1] parents
    cdef const Py_ssize_t[::1] levels
    cdef const Py_ssize_t[::1] firsts
    cdef const Py_ssize_t[::1] lasts
    cdef const Py_ssize_t[::1] ends
    cdef const long long[::1] tags
    cdef const long long[::1] tags_around
    cdef const Py_ssize_t[::1] leaf_nodes
    cdef const Py_ssize_t[::1] list_of_item
    cdef const long long[::1] bits
    cdef const Py_ssize_t[::1] blocks
    cdef const Py_ssize_t[::1] paths
    cdef const double[:, ::1] values
    cdef double[:, ::1] scratch
    cdef double[:, ::1] table
    cdef Py_ssize_t count
    cdef Py_ssize_t nodes
    cdef Py_ssize_t title
    cdef Py_ssize_t first_h1
    cdef Py_ssize_t last_running
    cdef Py_ssize_t articles
    cdef double running_characters

    cdef bint has_tag(self, Py_ssize_t node, Py_ssize_t tags) noexcept:
        return self.tags[node] & self.bits[tags] != 0

    cdef bint is_inside(self, Py_ssize_t segment, Py_ssize_t tags) noexcept:
        """Whether a segment is in an element with one of the tags."""
        return self.tags_around[self.blocks[segment]] & self.bits[tags] != 0

    cdef bint is_linked(self, Py_ssize_t segment) noexcept:
        return 2 * self.values[LINKED_CHARACTERS, segment] > self.values[CHARACTERS, segment]

    cdef Py_ssize_t parent(self, Py_ssize_t node) noexcept:
        return self.parents[node] if node >= 0 else -1

    cdef double running(self, Py_ssize_t segment) noexcept:
        """The characters of a segment outside links, if these are most of it, else 0."""
        cdef double length = self.values[CHARACTERS, segment]
        cdef double unlinked = length - self.values[LINKED_CHARACTERS, segment]
        return unlinked if unlinked > 0.5 * length else 0

    cdef double below(self, Py_ssize_t sums, Py_ssize_t node) noexcept:
        """The sum over a node and all nodes below it; 0 for -1, which stands for none."""
        if node < 0:
            return 0
        return self.scratch[sums, self.ends[node]] - self.scratch[sums, node]

    cdef void add_up_segments(self, double min_running) noexcept:
        """Sum the segments of each path, block, parent and grandparent."""
        cdef Py_ssize_t segment, block, parent, grandparent, path
        cdef double running, length
        self.first_h1 = -1
        self.last_running = -1
        self.running_characters = 0
        for segment in range(self.count):
            block = self.blocks[segment]
            parent = self.parent(block)
            grandparent = self.parent(parent)
            path = self.paths[segment]
            running = self.running(segment)
            length = self.values[CHARACTERS, segment]
            self.running_characters += running
            self.scratch[RUNNING_OF_PATH, path] += running
            self.scratch[RUNNING_OF_BLOCK, block] += running
            self.scratch[RUNNING_OF_PARENT, parent + 1] += running
            self.scratch[RUNNING_OF_GRANDPARENT, grandparent + 1] += running
            self.scratch[SEGMENTS_OF_PATH, path] += 1
            self.scratch[CHARACTERS_OF_BLOCK, block] += length
            self.scratch[CHARACTERS_BEFORE, segment + 1] = (
                self.scratch[CHARACTERS_BEFORE, segment] + length
            )
            if self.first_h1 < 0 and self.is_inside(segment, H1_TAGS):
                self.first_h1 = segment
            if running > min_running:
                self.last_running = segment

    cdef int add_up_leaves(self, list leaf_lengths) except -1:
        cdef Py_ssize_t leaf, node
        cdef double length, linked
        for leaf in range(self.leaf_nodes.shape[0]):
            node = self.leaf_nodes[leaf]
            length = <Py_ssize_t> leaf_lengths[leaf]
            linked = length if self.tags_around[node] & self.bits[LINK_TAGS] else 0
            self.scratch[LEAF_CHARACTERS_BEFORE, leaf + 1] = (
                self.scratch[LEAF_CHARACTERS_BEFORE, leaf] + length
            )
            self.scratch[LEAF_LINKED_BEFORE, leaf + 1] = (
                self.scratch[LEAF_LINKED_BEFORE, leaf] + linked
            )
        return 0

    cdef void read_nodes(self) noexcept:
        """What nodes have from those above them, and the pictures and headings before each."""
        cdef Py_ssize_t node, parent, number
        cdef double[:, ::1] scratch = self.scratch
        self.articles = 0
        for node in range(self.nodes):
            parent = self.parents[node]
            scratch[PICTURES_BEFORE, node + 1] = (
                scratch[PICTURES_BEFORE, node] + self.has_tag(node, PICTURE_TAGS)
            )
            scratch[HEADINGS_BEFORE, node + 1] = (
                scratch[HEADINGS_BEFORE, node] + self.has_tag(node, HEADING_TAGS)
            )
            if parent >= 0:
                scratch[ARTICLE_NUMBER, node] = scratch[ARTICLE_NUMBER, parent]
                scratch[INNERMOST_LIST, node] = scratch[INNERMOST_LIST, parent]
                scratch[OUTERMOST_LIST, node] = scratch[OUTERMOST_LIST, parent]
            if not scratch[ARTICLE_NUMBER, node] and self.has_tag(node, ARTICLE_TAGS):
                self.articles += 1
                scratch[ARTICLE_NUMBER, node] = self.articles
            number = self.list_of_item[node]
            if number:
                scratch[INNERMOST_LIST, node] = number
            if not scratch[OUTERMOST_LIST, node]:
                scratch[OUTERMOST_LIST, node] = number

    cdef void find_shared_levels(self) noexcept:
        """For each node the level of the nearest element that contains it and the title."""
        cdef Py_ssize_t node, parent
        if self.title < 0:
            return
        node = self.blocks[self.title]
        while node >= 0:
            self.scratch[SHARED_LEVEL, node] = self.levels[node]
            node = self.parents[node]
        for node in range(self.nodes):
            parent = self.parents[node]
            if parent >= 0 and not self.scratch[SHARED_LEVEL, node]:
                self.scratch[SHARED_LEVEL, node] = self.scratch[SHARED_LEVEL, parent]

    cdef void add_up_lists(self) noexcept:
        """Sum the items of each list."""
        cdef Py_ssize_t node, number, first, last
        cdef double[:, ::1] scratch = self.scratch
        for node in range(self.nodes):
            number = self.list_of_item[node]
            if not number:
                continue
            first = self.firsts[node]
            last = self.lasts[node]
            scratch[LIST_ITEMS, number] += 1
            scratch[LIST_CHARACTERS, number] += (
                scratch[LEAF_CHARACTERS_BEFORE, last] - scratch[LEAF_CHARACTERS_BEFORE, first]
            )
            scratch[LIST_LINKED, number] += (
                scratch[LEAF_LINKED_BEFORE, last] - scratch[LEAF_LINKED_BEFORE, first]
            )
            scratch[LIST_HEADINGS, number] += self.below(HEADINGS_BEFORE, node) > 0
            scratch[LIST_PICTURES, number] += self.below(PICTURES_BEFORE, node) > 0

    cdef void put_local(self, Row* row, Py_ssize_t segment) noexcept:
        """The features of ``_LOCAL``."""
        cdef double length = self.values[CHARACTERS, segment]
        cdef double words = self.values[WORDS, segment]
        put(row, length)
        put(row, words)
        put(row, self.values[LINKED_CHARACTERS, segment] / length)
        put(row, self.values[ENDS_SENTENCE, segment])
        put(row, self.values[PUNCTUATION, segment] / larger(words, 1))
        put(row, self.values[IN_TITLE, segment])

    cdef void put_place(self, Row* row, Py_ssize_t segment) noexcept:
        """depth to share_grandparent."""
        cdef double length = self.values[CHARACTERS, segment]
        cdef double letters = self.values[LETTERS, segment]
        cdef double page_running = self.running_characters or 1.0
        cdef Py_ssize_t block = self.blocks[segment]
        cdef Py_ssize_t parent = self.parent(block)
        cdef Py_ssize_t grandparent = self.parent(parent)
        cdef double characters_before = self.scratch[CHARACTERS_BEFORE, segment]
        put(row, self.levels[block])
        put(row, segment / <double> self.count)
        put(row, characters_before / self.scratch[CHARACTERS_BEFORE, self.count])
        put(row, self.values[DIGITS, segment] / length)
        put(row, self.values[CAPITALS, segment] / larger(letters, 1))
        put(row, self.values[ENDS_SENTENCE, segment] + self.values[STOPS_INSIDE, segment])
        put(row, self.scratch[RUNNING_OF_PATH, self.paths[segment]] / page_running)
        put(row, self.scratch[RUNNING_OF_BLOCK, block] / page_running)
        put(row, self.scratch[RUNNING_OF_PARENT, parent + 1] / page_running)
        put(row, self.scratch[RUNNING_OF_GRANDPARENT, grandparent + 1] / page_running)

    cdef void put_order(self, Row* row, Py_ssize_t segment, double body_length) noexcept:
        """in_description to body_length; those of other pages are 0."""
        cdef Py_ssize_t block = self.blocks[segment]
        cdef double since_h1 = segment - self.first_h1
        cdef bint has_h1 = self.first_h1 >= 0
        put(row, self.values[IN_DESCRIPTION, segment])
        put(row, 0)
        put(row, 0)
        put(row, has_h1 and since_h1 > 0)
        put(row, since_h1 / self.count if has_h1 else -1)
        put(row, segment <= self.last_running)
        put(row, self.lasts[block] - self.firsts[block])
        put(row, self.scratch[SEGMENTS_OF_PATH, self.paths[segment]])
        put(row, self.count)
        put(row, self.scratch[CHARACTERS_BEFORE, self.count])
        put(row, self.scratch[CHARACTERS_OF_BLOCK, block])
        put(row, self.values[REPEATS, segment])
        put(row, self.values[IN_BODY, segment])
        put(row, body_length)

    cdef void put_containers(self, Row* row, Py_ssize_t segment) noexcept:
        cdef Py_ssize_t tags
        for tags in range(CONTAINER_TAGS, self.bits.shape[0]):
            put(row, self.is_inside(segment, tags))

    cdef void put_neighbour(self, Row* row, Py_ssize_t segment) noexcept:
        """The local features of another segment; 0 if there is none."""
        cdef Py_ssize_t column
        for column in range(LOCAL_VALUES):
            put(row, self.table[segment, column] if 0 <= segment < self.count else 0)

    cdef void put_title(self, Row* row, Py_ssize_t segment) noexcept:
        """title to levels_from_title."""
        cdef double distance = segment - self.title
        cdef double characters = self.scratch[CHARACTERS_BEFORE, segment]
        cdef double page_characters = self.scratch[CHARACTERS_BEFORE, self.count]
        cdef Py_ssize_t block = self.blocks[segment]
        cdef double shared_level = self.scratch[SHARED_LEVEL, block]
        if self.title < 0:
            put(row, 0)
            put(row, -2)
            put(row, -2)
            put(row, -1)
            put(row, -1)
            return
        characters -= self.scratch[CHARACTERS_BEFORE, self.title]
        put(row, 1)
        put(row, distance / self.count)
        put(row, characters / page_characters)
        put(row, self.levels[block] - shared_level)
        put(row, self.levels[self.blocks[self.title]] - shared_level)

    cdef void put_articles(self, Row* row, Py_ssize_t segment) noexcept:
        """articles, article_number and title_in_article."""
        cdef double number = self.scratch[ARTICLE_NUMBER, self.blocks[segment]]
        cdef double of_title = 0
        if self.title >= 0:
            of_title = self.scratch[ARTICLE_NUMBER, self.blocks[self.title]]
        put(row, self.articles)
        put(row, number)
        put(row, number > 0 and number == of_title)

    cdef void put_list(self, Row* row, Py_ssize_t number) noexcept:
        """The features of ``_LIST``; 0 for number 0, which stands for no list."""
        cdef double items = self.scratch[LIST_ITEMS, number]
        cdef double characters = self.scratch[LIST_CHARACTERS, number]
        cdef double size = larger(items, 1)
        cdef double page_characters = (
            self.scratch[LEAF_CHARACTERS_BEFORE, self.leaf_nodes.shape[0]] or 1.0
        )
        put(row, items)
        put(row, characters / page_characters)
        put(row, self.scratch[LIST_LINKED, number] / larger(characters, 1))
        put(row, self.scratch[LIST_HEADINGS, number] / size)
        put(row, self.scratch[LIST_PICTURES, number] / size)
        put(row, characters / size)

    cdef void put_pictures(self, Row* row, Py_ssize_t segment) noexcept:
        cdef Py_ssize_t block = self.blocks[segment]
        cdef Py_ssize_t parent = self.parent(block)
        put(row, self.below(PICTURES_BEFORE, block))
        put(row, self.below(PICTURES_BEFORE, parent))
        put(row, self.below(PICTURES_BEFORE, self.parent(parent)))


def describe_segments(
    object nodes,
    const Py_ssize_t[::1] list_of_item,
    list leaf_lengths,
    const long long[::1] bits,
    const Py_ssize_t[::1] blocks,
    const Py_ssize_t[::1] paths,
    const double[:, ::1] values,
    Py_ssize_t title,
    double body_length,
    double min_running,
    double[:, ::1] scratch,
    double[:, ::1] table,
):
    """``rows_in_numpy`` of ``features``, but without logarithms, and of segments without a heading
    before them without the -1 of ``since_heading``.

    ``nodes``: the ``NodeArrays`` of the outline; ``list_of_item``: for each node the number of the
    list that it is an item of, or 0; ``bits``: those of the sets of tags above; ``paths``: for each
    segment a number of its tag path, from 0 on; ``values``: a row for each of ``MEASURED``;
    ``scratch``: zeros, ``(SCRATCH, most of nodes, leaves and segments + SCRATCH_MARGIN)``.  The
    features are written to ``table``.  Returns the first segment in a heading; the number of
    segments if there is none.
    """
    cdef _Segments page = _Segments()
    cdef Py_ssize_t segment, block, side
    cdef Py_ssize_t first_heading = -1
    cdef Py_ssize_t last_heading = -1
    cdef double h1_since_title = 0
    cdef double linked_headings_since_title = 0
    cdef Row row
    page.parents, page.levels, page.firsts, page.lasts, page.ends = nodes[:5]
    page.tags, page.tags_around, page.leaf_nodes = nodes[5:]
    page.list_of_item = list_of_item
    page.bits = bits
    page.blocks = blocks
    page.paths = paths
    page.values = values
    page.scratch = scratch
    page.table = table
    page.count = blocks.shape[0]
    page.nodes = page.parents.shape[0]
    page.title = title
    page.add_up_segments(min_running)
    page.add_up_leaves(leaf_lengths)
    page.read_nodes()
    page.find_shared_levels()
    page.add_up_lists()

    for segment in range(page.count):
        row.place = &table[segment, 0]
        page.put_local(&row, segment)

    for segment in range(page.count):
        block = blocks[segment]
        row.place = &table[segment, LOCAL_VALUES]
        page.put_place(&row, segment)
        page.put_order(&row, segment, body_length)
        page.put_containers(&row, segment)
        for side in (-1, -2, 1, 2):
            page.put_neighbour(&row, segment + side)
        page.put_title(&row, segment)
        if segment > title:
            h1_since_title += page.is_inside(segment, H1_TAGS)
        if page.is_inside(segment, HEADING_TAGS):
            last_heading = segment
            first_heading = segment if first_heading < 0 else first_heading
            if segment > title:
                linked_headings_since_title += page.is_linked(segment)
        put(&row, h1_since_title)
        put(&row, linked_headings_since_title)
        put(&row, segment - last_heading)
        put(&row, page.is_linked(last_heading) if last_heading >= 0 else -1)
        page.put_articles(&row, segment)
        page.put_list(&row, <Py_ssize_t> scratch[INNERMOST_LIST, block])
        page.put_list(&row, <Py_ssize_t> scratch[OUTERMOST_LIST, block])
        page.put_pictures(&row, segment)
    return page.count if first_heading < 0 else first_heading
