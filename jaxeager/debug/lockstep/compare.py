"""Where two recordings of gradients diverge: nodes aligned, the first that differs, in ULPs."""

from __future__ import annotations

import difflib
import os
import pickle
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

_FRAME = re.compile(r'File "(.*?)", line (\d+)')


class Node(NamedTuple):
    """A node that has run.

    Attributes:
        name: the name in its library.
        stack: the stack of the call that recorded it.
        given, made: the gradients it received and returned, None for missing ones.
        call: the call that ran it, "backward" or "grad".
        library: the folder of its library.
    """

    name: str
    stack: str
    given: list
    made: list
    call: str = "backward"
    library: str = ""

    @property
    def line(self) -> str:
        """Return the user's line that recorded it, "file:number"; "" if it is not known."""
        found = [place for place in _FRAME.findall(self.stack) if self._is_users(place[0])]
        return f"{os.path.basename(found[-1][0])}:{found[-1][1]}" if found else ""

    @property
    def plain_name(self) -> str:
        """Return its name without a counter, normalized for both libraries."""
        return re.sub(r"\d*GradNode", "GradNode", self.name).replace("_", "").lower()

    def _is_users(self, file: str) -> bool:
        if file.startswith((f"{_OURS}{os.sep}", "<")) or f"{os.sep}site-packages{os.sep}" in file:
            return False
        return not (self.library and file.startswith(f"{self.library}{os.sep}"))


_OURS = Path(__file__).resolve().parents[2]


class Step(list[Node]):
    """The nodes of a backward or grad, in the order in which they ended.

    Attributes:
        roots: the values of the tensors that it starts from.
    """

    def __init__(self, nodes: Iterable[Node], roots: Sequence = ()):
        super().__init__(nodes)
        self.roots = list(roots)


class Divergence(NamedTuple):
    """The first node whose gradients differ.

    Attributes:
        step: the number of the backward or grad, from 1.
        nodes: the node of each run.
        ulps: the distance of its gradients, in ULPs of the largest number.
        given_ulps: the same for the gradients it received.
        index: the index of the gradient, and of the element in it.
        values: that element in each run.
        note: set instead, when shapes or the number of gradients differ.
        root_ulps: the distance of the values that the backward starts from; None if unknown.
    """

    step: int
    nodes: tuple[Node, Node]
    ulps: float
    given_ulps: float
    index: tuple
    values: tuple
    note: str = ""
    root_ulps: float | None = None


class Found(NamedTuple):
    """The comparison of two runs.

    Attributes:
        steps: how many backwards and grads each has made.
        aligned: how many nodes are paired.
        alone: the nodes of each run without a partner, as (step, node).
        worst: the largest distance of nodes that agree, in ULPs.
        divergence: the first difference; None if all agree.
        bound: how many ULPs apart agreeing values may be.
        roots: the first step that starts from values further apart, and how far; (0, 0) if none.
    """

    steps: tuple[int, int]
    aligned: int
    alone: tuple[list, list]
    worst: float
    divergence: Divergence | None
    bound: float = 0.0
    roots: tuple[int, float] = (0, 0.0)


def read(path: Path) -> list[Step]:
    """Return the backwards and grads of a run."""
    steps: list[Step] = []
    with path.open("rb") as file:
        try:
            while True:
                found = pickle.load(file)
                nodes = [Node(**node, library=found["library"]) for node in found["nodes"]]
                steps.append(Step(nodes, found["roots"]))
        except EOFError:
            return steps


def ulps(a: np.ndarray, b: np.ndarray) -> tuple[float, tuple]:
    """Return how far two arrays are apart, and where: in ULPs of the largest number.

    A ULP is the distance from a number to the next one of its dtype; for two dtypes, of the coarser
    one. It is that of the largest number, because small remainders of large numbers have no correct
    digits.

    Example:
        >>> import numpy as np
        >>> one = np.array([1.0, 0.5], "float32")
        >>> ulps(one, one + np.array([0, 2.0**-22], "float32"))
        (2.0, (1,))
    """
    if not a.size:
        return 0.0, ()
    kinds = [np.real(each).dtype for each in (a, b) if each.dtype.kind in "fc"]
    if not kinds:
        apart = np.abs(a.astype("float64") - b.astype("float64"))
        unit = 1.0
    else:
        coarser = min(kinds, key=lambda kind: kind.itemsize)
        wide = "complex128" if "c" in (a.dtype.kind, b.dtype.kind) else "float64"
        x, y = a.astype(wide), b.astype(wide)
        same = (x == y) | (np.isnan(x) & np.isnan(y))
        with np.errstate(all="ignore"):
            apart = np.where(same, 0.0, np.abs(x - y))
        apart = np.where(np.isnan(apart), np.inf, apart)
        finite = np.abs(np.concatenate([x[np.isfinite(x)], y[np.isfinite(y)]]))
        greatest = finite.max() if finite.size else 1.0
        unit = float(np.spacing(np.asarray(max(greatest, 1e-30), coarser)))
    at = tuple(map(int, np.unravel_index(int(np.argmax(apart)), apart.shape)))
    return float(apart[at] / unit), at


def compare(one: Sequence[list[Node]], other: Sequence[list[Node]], bound: float) -> Found:
    """Align the nodes of two runs, call by call, and find the first that differs."""
    aligned, worst, alone, roots = 0, 0.0, ([], []), (0, 0.0)
    for step, (a, b) in enumerate(zip(one, other, strict=False), 1):
        far_roots = _between_roots(a, b) or 0.0
        if far_roots > bound and not roots[0]:
            roots = step, far_roots
        matcher = difflib.SequenceMatcher(None, *_keys(a, b), autojunk=False)
        paired = [(i + k, j + k) for i, j, n in matcher.get_matching_blocks() for k in range(n)]
        for side, (nodes, at) in enumerate(((a, 0), (b, 1))):
            known = {pair[at] for pair in paired}
            alone[side].extend((step, n) for i, n in enumerate(nodes) if i not in known)
        for i, j in paired:
            aligned += 1
            far = _divergence(step, a[i], b[j])
            if far.note or far.ulps > bound:
                far = far._replace(root_ulps=_between_roots(a, b))
                return Found((len(one), len(other)), aligned, alone, worst, far, bound)
            worst = max(worst, far.ulps)
    return Found((len(one), len(other)), aligned, alone, worst, None, bound, roots)


def _between_roots(a: list[Node], b: list[Node]) -> float | None:
    """Return the distance of the values that two backwards start from, None if it is unknown."""
    pairs, note = _pairs(getattr(a, "roots", []), getattr(b, "roots", []))
    return max([ulps(x, y)[0] for _, x, y in pairs], default=None) if not note else np.inf


def _keys(a: list[Node], b: list[Node]) -> tuple[list, list]:
    """Return the keys by which the nodes of two calls are aligned: names and lines.

    Lines are ignored for names of which a run does not know all lines: Paddle has none for nodes
    that ``grad(create_graph=True)`` records.
    """
    unknown = {node.plain_name for node in (*a, *b) if not node.line}

    def key(node: Node) -> tuple[str, str]:
        name = node.plain_name
        return name, "" if name in unknown else node.line

    return [key(node) for node in a], [key(node) for node in b]


def _divergence(step: int, a: Node, b: Node) -> Divergence:
    """Return the differences of two nodes."""
    made, note = _pairs(a.made, b.made)
    if note:
        return Divergence(step, (a, b), np.inf, 0.0, (), (), note)
    given, _ = _pairs(a.given, b.given)
    given_far = max([ulps(x, y)[0] for _, x, y in given], default=0.0)
    far: tuple[float, tuple, tuple] = (0.0, (), ())
    for number, x, y in made:
        distance, at = ulps(x, y)
        if distance > far[0]:
            far = distance, (number, at), (x[at], y[at])
    return Divergence(step, (a, b), far[0], given_far, far[1], far[2])


def _pairs(a: list, b: list) -> tuple[list[tuple[int, np.ndarray, np.ndarray]], str]:
    """Return the gradients of two nodes in pairs.

    Gradients that only one library has are omitted, such as that of a label, which is not needed.
    """
    there = [each for each in a if each is not None], [each for each in b if each is not None]
    if len(there[0]) == len(there[1]):
        a, b = there
    found = []
    for number, (x, y) in enumerate(zip(a, b, strict=False)):
        if x is None or y is None:
            continue
        if x.shape != y.shape:
            return [], f"gradient {number} has shapes {list(x.shape)} and {list(y.shape)}"
        found.append((number, x, y))
    return found, ""


def _shown(stack: str) -> str:
    """Return a stack without the frames that started the script."""
    entries = re.split(r"(?=^  File )", stack, flags=re.MULTILINE)
    started = (str(Path(__file__).parent), "<frozen ")
    kept = [e for e in entries if not e.removeprefix('  File "').startswith(started)]
    return "".join(kept).rstrip("\n")


def _where_to_look(found: Found, far: Divergence) -> list[str]:
    """Return what the runs show about the place of the bug: forward or node, program or library."""
    lines = []
    if far.root_ulps is not None:
        which = "forward differs already" if far.root_ulps > found.bound else "forward agrees"
        lines.append(
            f"the {which}: {far.nodes[0].call} {far.step} starts from values {far.root_ulps:.4g} "
            "ULPs apart"
        )
    alone = [node for nodes in found.alone for _, node in nodes]
    places = ", ".join(list(dict.fromkeys(each.line or "unknown lines" for each in alone))[:3])
    if alone:
        lines.append(f"only one run has nodes of {places}: look at the program there")
    else:
        lines.append("both runs have the same nodes, of the same lines: look at the library")
    return lines


def report(found: Found, names: tuple[str, str]) -> str:
    """Return the result as text."""
    one, other = names
    lines = [
        f"{one} and {other}: {found.steps[0]} and {found.steps[1]} backwards, {found.aligned} "
        f"nodes side by side, {len(found.alone[0])} and {len(found.alone[1])} alone"
    ]
    for name, alone in zip(names, found.alone, strict=True):
        for step, node in alone[:3]:
            lines.append(f"  only {name}: {node.name} {node.line}, {node.call} {step}")
    far = found.divergence
    if far is None:
        lines.append(f"all gradients agree; at most {found.worst:.1f} ULPs apart")
        step, distance = found.roots
        if step:
            lines.append(
                f"but step {step} starts from values {distance:.4g} ULPs apart: the forward "
                "differs where no gradient depends on it"
            )
        return "\n".join(lines)
    node = far.nodes[0]
    lines.append(f"before it, gradients are at most {found.worst:.1f} ULPs apart")
    where = f"{node.call} {far.step}: {node.name}, {node.line or 'line unknown'}"
    if far.note:
        lines.append(f"{where}: {far.note}")
    else:
        number, at = far.index
        lines += [
            f"{where}: gradients {far.ulps:.4g} ULPs apart, its inputs {far.given_ulps:.4g}",
            f"  gradient {number} at {list(at)}: {far.values[0]!r} and {far.values[1]!r}",
        ]
    lines += _where_to_look(found, far)
    for name, each in zip(names, far.nodes, strict=True):
        lines += [f"{name}, {each.name}:", _shown(each.stack) or "  (no stack)"]
    return "\n".join(lines)
