"""Table: the data of a graph, collected step by step and returned as plain JSON.

Note [Graph data]
    ``Table.data`` returns a dict that ``json.dump`` can write, of the form ``jaxeager-graph-1``.
    Nothing in it refers to a live tensor, so it can be kept, sent and read by other tools. Indices
    are positions in its own lists; unknown values are None or an empty list.

    ``format``, ``title``, ``made`` (ISO time), ``source`` ("live", "recorded", "files")
    ``notes``    sentences: what is missing, and which setting would have provided it
    ``nodes``    one per call of an op, PyLayer, leaf or input:
        ``id``; ``name`` ("matmul2"); ``grad_name`` ("matmul2GradNode"); ``op`` ("matmul");
        ``kind`` ("op", "pylayer", "leaf", "input"); ``pointer`` ("0x55c000000040", as in logs);
        ``passes`` ("f", "b", "fb": which of the two graphs contain it);
        ``group``, ``stack``, ``caller``: indices; ``caller`` is where a gradient was requested;
        ``attrs``: text; ``outputs``: name, dtype, shape, figures of each forward output;
        ``gradients``: the same for each gradient received;
        ``saved``: name, tensor, dtype, shape, bytes, figures, ``version`` at the save, ``now``,
        ``is_stale`` (it was written since, so backward refuses it), ``writer`` (op, stack);
        ``forward_us``, ``backward_us``, ``is_compiled`` (a kernel was compiled or loaded,
        which the time excludes), ``bytes`` (of the outputs), ``saved_bytes`` (each array once);
        ``log``: messages; ``error``: text
    ``edges``    one per tensor passed: ``source`` and ``target`` in the direction of gradients,
        ``passes``, ``name``, ``dtype``, ``shape``, ``slot``, ``rank``, ``figures`` of the gradient.
        An edge that is only in the forward graph goes from consumer to producer, too.
    ``groups``   foldable groups: ``name``, ``type`` (class or function), ``kind`` ("layer",
        "pylayer", "function"), ``parent`` (index)
    ``stacks``   lists of frames, the outermost first: ``file``, ``line``, ``function``, ``text``,
        ``is_user`` (it is not from this package, Paddle or JAX)
    ``sources``  by file: lines around the frames, by number
    ``problems`` detected problems: ``node``, ``kind`` ("error", "stale", "nan", "inf"), ``text``
    ``log``      messages that belong to no node

    Figures: ``count``, ``nan``, ``inf``, ``zero``; ``min``, ``max``, ``mean``, ``norm`` and
    ``histogram`` (equal bars from min to max) of the finite values.
"""

from __future__ import annotations

import datetime
import functools
import itertools
import linecache
import re
import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxeager.core import user_lines
from jaxeager.debug.explorer import figures
from jaxeager.debug.explorer.problems import find_problems

if TYPE_CHECKING:
    from collections.abc import Hashable

FORMAT = "jaxeager-graph-1"
_LIBRARIES = re.compile(r"site-packages[\\/](paddle|jax|jaxeager)[\\/]|^<frozen ")
_CONTEXT = 3  # lines of source shown before and after a line of a stack


@functools.lru_cache(4096)
def is_users(file: str) -> bool:
    """Return whether a file's code is the user's; the file may be of a run in real Paddle.

    Example:
        >>> is_users("/home/a/train.py"), is_users("/v/site-packages/paddle/nn/layer/common.py")
        (True, False)
    """
    return user_lines.is_users(file) and _LIBRARIES.search(file) is None


class Table:
    """The data of a graph collected so far: see Note [Graph data].

    Attributes:
        nodes, edges, groups, stacks, notes: as returned later, but with figures still pending.
        saved_in: saved tensors by the number of their memory: a later write makes them stale.
    """

    def __init__(self, title: str, source: str):
        self.title, self.source = title, source
        self.nodes: list[dict] = []
        self.edges: list[dict] = []
        self.groups: list[dict] = []
        self.stacks: list[list[dict]] = []
        self.notes: list[str] = []
        self.log: list[str] = []
        self.saved_in: dict[int, list[dict]] = {}
        self._by_key: dict[Hashable, dict] = {}
        self._by_frames: dict[tuple, int] = {}
        self._by_group: dict[Hashable, int] = {}
        self._by_place: dict[tuple[int, int, int], list[dict]] = {}
        self._edges_of: dict[int, list[dict]] = {}
        self._linked: set[int] = set()
        self._asked: list[tuple[dict, Any]] = []

    # ---- collecting

    def node(self, key: Hashable, kind: str = "op", passes: str = "") -> dict:
        """Return a new node, and register it under a key."""
        made = {
            "id": len(self.nodes), "name": "", "grad_name": None, "op": "", "kind": kind,
            "pointer": None, "passes": passes, "group": None, "stack": None, "caller": None,
            "attrs": "", "outputs": [], "gradients": [], "saved": [], "forward_us": None,
            "backward_us": None, "is_compiled": False, "bytes": None, "saved_bytes": None,
            "log": [], "error": None,
        }  # fmt: skip
        self.nodes.append(made)
        self._by_key[key] = made
        return made

    def find(self, key: Hashable) -> dict | None:
        """Return the node of a key, None if there is none."""
        return self._by_key.get(key)

    def alias(self, key: Hashable, node: dict) -> None:
        """Register a node under another key."""
        self._by_key.setdefault(key, node)

    def edge(self, source: dict, target: dict, passes: str, **known) -> dict:
        """Add a tensor passed from one node to another, in the direction of gradients."""
        made = {
            "source": source["id"], "target": target["id"], "passes": passes, "name": "",
            "dtype": None, "shape": None, "slot": 0, "rank": 0, "figures": None, **known,
        }  # fmt: skip
        self.edges.append(made)
        places = self._by_place.setdefault(
            (made["source"], made["target"], made["slot"] + made["rank"]), []
        )
        places.append(made)
        self._edges_of.setdefault(made["source"], []).append(made)
        return made

    def edges_of(self, node: dict) -> list[dict]:
        """Return the edges along which a node passes gradients on."""
        return self._edges_of.get(node["id"], [])

    def begin_edges(self, node: dict) -> bool:
        """Return whether the edges of a node are still missing, and mark them as added."""
        is_new = node["id"] not in self._linked
        self._linked.add(node["id"])
        return is_new

    def pass_along(self, source: dict, target: dict, position: int, grad) -> None:
        """Record the gradient that flows along an edge; parallel edges are used in turn."""
        edges = self._by_place.get((source["id"], target["id"], position))
        if edges:
            edge = edges.pop(0)
            edges.append(edge)
            self.ask(edge, grad)

    def group(self, key: Hashable, name: str, type_name: str, kind: str, parent: int | None) -> int:
        """Return the index of a foldable group; equal keys share one group."""
        number = self._by_group.get(key)
        if number is None:
            number = self._by_group[key] = len(self.groups)
            self.groups.append({"name": name, "type": type_name, "kind": kind, "parent": parent})
        return number

    def stack(self, frames: Iterable[traceback.FrameSummary]) -> int:
        """Return the index of a stack, the outermost frame first; equal stacks are stored once."""
        found = tuple(
            [(each.filename, each.lineno or 0, each.name, each.line or "") for each in frames]
        )
        number = self._by_frames.get(found)
        if number is None:
            number = self._by_frames[found] = len(self.stacks)
            self.stacks.append(
                [
                    {
                        "file": file,
                        "line": line,
                        "function": function,
                        "text": text,
                        "is_user": is_users(file),
                    }
                    for file, line, function, text in found
                ]
            )
        return number

    def ask(self, holder: dict, array) -> None:
        """Fill ``holder["figures"]`` with the figures of an array when the data is returned."""
        asked = figures.ask(array)
        if asked is not None:
            self._asked.append((holder, asked))

    def note(self, text: str) -> None:
        """Add a sentence to the notes at the top of the page, once."""
        if text not in self.notes:
            self.notes.append(text)

    # ---- returning

    def data(self) -> dict:
        """Return all data as plain JSON: see Note [Graph data]."""
        found = figures.answers([asked for _, asked in self._asked])
        for (holder, _), answer in zip(self._asked, found, strict=True):
            holder["figures"] = answer
        self._asked.clear()
        if not self.groups:
            self._group_by_function()
        self._place_leaves()
        self._fill_edges()
        return {
            "format": FORMAT,
            "title": self.title,
            "made": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
            "source": self.source,
            "notes": list(self.notes),
            "nodes": self.nodes,
            "edges": self.edges,
            "groups": self.groups,
            "stacks": self.stacks,
            "sources": self._sources(),
            "problems": [self._placed(each) for each in find_problems(self.nodes, self.edges)],
            "log": self.log,
        }

    def _group_by_function(self) -> None:
        """Group nodes by the functions they were recorded in, if no Layers are known."""
        for node in self.nodes:
            if node["stack"] is None or node["kind"] in ("leaf", "input"):
                continue
            parent, key = None, ()
            frames = [each for each in self.stacks[node["stack"]] if _is_folded(each)]
            for caller, called in itertools.pairwise(frames):
                key = (*key, caller["file"], caller["line"], called["function"])
                name = f"{called['function']}()"
                where = f"called at {Path(caller['file']).name}:{caller['line']}"
                parent = self.group(key, name, where, "function", parent)
            node["group"] = parent

    def _place_leaves(self) -> None:
        """Move leaves and inputs into the innermost group that contains all their users."""
        takers: dict[int, list[int | None]] = {}
        for edge in self.edges:
            takers.setdefault(edge["target"], []).append(self.nodes[edge["source"]]["group"])
        for node in self.nodes:
            if node["kind"] in ("leaf", "input") and node["id"] in takers:
                paths = [self._path(group) for group in takers[node["id"]]]
                shared = [each[0] for each in zip(*paths, strict=False) if len(set(each)) == 1]
                node["group"] = shared[-1] if shared else None

    def _placed(self, problem: dict) -> dict:
        """Return a problem with the line at which its node was recorded, if it is known."""
        stack = self.nodes[problem["node"]]["stack"]
        if stack is not None and self.stacks[stack]:
            frames = self.stacks[stack]
            frame = next((each for each in reversed(frames) if each["is_user"]), frames[-1])
            where = f"{Path(frame['file']).name}:{frame['line']}: {frame['text'].strip()}"
            problem["text"] += f" Recorded at {where}"
        return problem

    def _fill_edges(self) -> None:
        """Copy missing shapes and dtypes of edges from outputs: not every op keeps them."""
        for edge in self.edges:
            outputs, position = self.nodes[edge["target"]]["outputs"], edge["slot"] + edge["rank"]
            if edge["shape"] is None and position < len(outputs):
                edge["dtype"] = outputs[position]["dtype"]
                edge["shape"] = outputs[position]["shape"]

    def _path(self, group: int | None) -> list[int]:
        """Return a group and the groups that contain it, the outermost first."""
        path = []
        while group is not None:
            path.append(group)
            group = self.groups[group]["parent"]
        return path[::-1]

    def _sources(self) -> dict[str, dict[str, str]]:
        """Return the lines around every frame of every stack, if they can be read."""
        wanted: dict[str, set[int]] = {}
        for frame in (frame for frames in self.stacks for frame in frames):
            around = range(max(1, frame["line"] - _CONTEXT), frame["line"] + _CONTEXT + 1)
            wanted.setdefault(frame["file"], set()).update(around)
        found = {}
        for file, numbers in wanted.items():
            lines = linecache.getlines(file)
            known = {str(n): lines[n - 1].rstrip() for n in sorted(numbers) if n <= len(lines)}
            if known:
                found[file] = known
        return found


def _is_folded(frame: dict) -> bool:
    """Return whether a frame's function makes a group: the user's, and Layers of the package."""
    return frame["is_user"] or frame["function"] == "forward"


def add_pass(node: dict, passes: str) -> None:
    """Note that a node is in a graph: "f" or "b"."""
    node["passes"] = "".join(each for each in "fb" if each in node["passes"] + passes)
