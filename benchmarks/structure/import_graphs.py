"""Import graphs: which rooms of a folder import each other, their cycles and their floors.

A room is a direct child of a folder: a module, a package as a whole, or the folder's own
``__init__``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

#: For each room the rooms that it imports.
Graph = dict[str, set[str]]


def import_graph(imports: Mapping[str, Collection[str]], folder: str) -> Graph:
    """The rooms of a folder with what they import of each other.  ``imports``: for each module
    the modules that it imports, by dotted names; an ``__init__`` has the name of its folder.

    >>> import_graph({"a": [], "a.b.c": ["a.b.d", "a.e"], "a.b.d": [], "a.e": ["x"]}, "a")
    {'__init__': set(), 'b': {'e'}, 'e': set()}
    """
    rooms = {name: _room(name, folder) for name in imports if _is_inside(name, folder)}
    graph: Graph = {room: set() for room in rooms.values()}
    for name, room in rooms.items():
        graph[room] |= {rooms[imported] for imported in imports[name] if imported in rooms} - {room}
    return graph


def find_cycles(graph: Graph) -> list[tuple[str, ...]]:
    """The groups of rooms that import each other, directly or through others.

    >>> find_cycles({"a": {"b"}, "b": {"c"}, "c": {"b"}})
    [('b', 'c')]
    """
    reached = _close(graph)
    groups = {tuple(sorted(b for b in reached[a] if a in reached[b])) for a in graph}
    return sorted(group for group in groups if group)


def number_floors(graph: Graph) -> dict[str, int]:
    """The floor of each room: 1 + the highest floor that it imports, so 1 for a room that
    imports no other.  The rooms of a cycle share a floor.

    >>> number_floors({"a": {"b", "c"}, "b": {"c"}, "c": set()})
    {'c': 1, 'b': 2, 'a': 3}
    """
    reached = {room: reachable | {room} for room, reachable in _close(graph).items()}
    floors: dict[str, int] = {}
    for room in sorted(graph, key=lambda room: len(reached[room])):
        below = (
            floors[room_below]
            for room_below in reached[room]
            if reached[room_below] < reached[room]
        )
        floors[room] = 1 + max(below, default=0)
    return floors


def _is_inside(name: str, folder: str) -> bool:
    return name == folder or name.startswith(f"{folder}.")


def _room(name: str, folder: str) -> str:
    return name.removeprefix(folder).removeprefix(".").partition(".")[0] or "__init__"


def _close(graph: Graph) -> Graph:
    """For each room all rooms that it reaches, in one step or several."""
    reached = {room: set(reachable) for room, reachable in graph.items()}
    for middle in graph:
        for reachable in reached.values():
            if middle in reachable:
                reachable |= reached[middle]
    return reached
