"""The tree of a conversation: which messages follow each other, even if the file contradicts itself.

`parent` decides. Nothing recurses, because a conversation may be a chain of any length.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from localization.sentences import marked

Node = Mapping[str, object]
Parents = dict[str, str | None]
Faults = dict[str, None]  # reasons in the order they were met, each once
Children = dict[str | None, dict[str, None]]  # roots are the children of None


@dataclass(frozen=True, slots=True)
class Tree:
    """The nodes of a conversation as disjoint paths; the first is the one shown last.

    Every other path holds what is unique to a branch. `parents` leads from any node to its root; `faults` lists what was wrong.
    """

    nodes: Mapping[str, Node]
    parents: Mapping[str, str | None]
    paths: tuple[tuple[str, ...], ...]
    faults: tuple[str, ...]


def grow(mapping: Mapping[str, object], current: object) -> Tree:
    """Arrange the nodes of an export's `mapping`; `current` names the last node of the path shown last."""
    faults: Faults = {}
    nodes = {key: node for key, node in mapping.items() if isinstance(node, dict)}
    if len(nodes) < len(mapping):
        faults[marked("a node is not an object")] = None
    parents = _parents(nodes, _claims(nodes, faults), faults)
    _cut_circles(parents, faults)
    children = _children(nodes, parents, faults)
    ends = list(_ends(parents, children))
    if isinstance(current, str) and current in nodes:
        ends.insert(0, current)
    elif current is not None:
        faults[marked("its current message is not there")] = None
    if ends and ends[0] != current:
        ends.insert(0, _newest(next(iter(children[None])), children))
    return Tree(nodes, parents, tuple(_paths(ends, parents)), tuple(faults))


def _claims(nodes: Mapping[str, Node], faults: Faults) -> dict[str, str]:
    """Return for each child the first node that lists it."""
    claims: dict[str, str] = {}
    for key, node in nodes.items():
        for child in _listed(node, faults):
            if child in nodes:
                claims.setdefault(child, key)
            else:
                faults[marked("a message that should follow is not there")] = None
    return claims


def _listed(node: Node, faults: Faults) -> list[str]:
    listed = node.get("children")
    if listed is None:
        return []
    if not isinstance(listed, list) or not all(isinstance(child, str) for child in listed):
        faults[marked("a list of following messages has the wrong type")] = None
        return [child for child in listed if isinstance(child, str)] if isinstance(listed, list) else []
    return listed


def _parents(nodes: Mapping[str, Node], claims: Mapping[str, str], faults: Faults) -> Parents:
    parents: Parents = {}
    for key, node in nodes.items():
        parent = node.get("parent", claims.get(key))
        if parent is not None and (not isinstance(parent, str) or parent not in nodes):
            faults[marked("the message before one is not there")] = None
            parent = claims.get(key)
        parents[key] = parent
    return parents


def _cut_circles(parents: Parents, faults: Faults) -> None:
    """Make the first node met in every cycle a root."""
    done: set[str] = set()
    for start in parents:
        trail: dict[str, None] = {}
        node: str | None = start
        while node is not None and node not in done and node not in trail:
            trail[node] = None
            node = parents[node]
        if node is not None and node in trail:
            faults[marked("its messages follow each other in a circle")] = None
            parents[node] = None
        done.update(trail)


def _children(nodes: Mapping[str, Node], parents: Parents, faults: Faults) -> Children:
    """Return the children of each node: first in the order the parent lists them, then in the order of the file."""
    children: Children = {key: {} for key in (None, *parents)}
    for key, node in nodes.items():
        for child in _listed(node, faults):
            if parents.get(child) == key:
                children[key][child] = None
            elif child in nodes:
                faults[marked("two messages disagree on which comes first")] = None
    for key, parent in parents.items():
        children[parent].setdefault(key)
    return children


def _ends(parents: Parents, children: Children) -> Iterator[str]:
    """Yield the last node of every branch, older branches first."""
    waiting = list(reversed(children[None]))
    while waiting:
        node = waiting.pop()
        if not children[node]:
            yield node
        waiting.extend(reversed(children[node]))


def _newest(node: str, children: Children) -> str:
    while children[node]:
        node = next(reversed(children[node]))
    return node


def _paths(ends: list[str], parents: Parents) -> Iterator[tuple[str, ...]]:
    used: set[str] = set()
    for end in ends:
        path: list[str] = []
        node: str | None = end
        while node is not None and node not in used:
            path.append(node)
            used.add(node)
            node = parents[node]
        if path:
            yield tuple(reversed(path))
