"""Reads the files that other tools have written of a run, as the data of a graph.

Note [Files that join]
    Names and pointers are the same in all files of one run, so the files are read in any order and
    joined by them. A folder may hold many backwards; one is shown at a time. These files are read:
    - ``*_backward_graph.dot`` and ``*_ref_forward_graph.dot``: of one backward,
    - other DOT text with ``_SourceNode`` or unique names in it: a captured forward graph,
    - ``*call_stack*``: stacks of nodes by pointer, of calls by name,
    - ``*_grad_tensors.log``, and the .npy files it names: gradients,
    - any file with lines of the verbose log.

    Paddle writes the same files, so the files of its runs can be shown as well.
"""

import re
import traceback
from collections import Counter
from pathlib import Path

import numpy as np

from jaxeager.debug.explorer import figures, log_lines
from jaxeager.debug.explorer.table import Table, add_pass
from jaxeager.errors import InvalidArgumentError

_BACKWARD = "_backward_graph.dot"
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_STATEMENT = re.compile(
    rf"(?P<a>{_QUOTED}|[\w.]+)\s*(?:->\s*(?P<b>{_QUOTED}|[\w.]+)\s*)?"
    rf"\[(?P<attributes>(?:{_QUOTED}|[^\]\"])*)\]"
)
_LABEL = re.compile(rf"\blabel=({_QUOTED}|[\w.]+)")
_NODE_STACK = re.compile(r"^GradNodeBase (\S+) ptr : (0x[0-9a-f]+) call stack: ?$", re.MULTILINE)
_CALL_STACK = re.compile(r"^(\w+) : ?$", re.MULTILINE)
_FRAME = re.compile(r'^ *File "(.+)", line (\d+), in (.+)\n?(.*)$', re.MULTILINE)
_AVAL = re.compile(r"(\w+) ?\[([\d, ]*)\]")
_FIELD = re.compile(r"^  - (\w+): (.*)$", re.MULTILINE)
_OUTPUT = re.compile(r"(\w+?\d+)_out\d*_")
_NUMBER = re.compile(r"\d+$")
_SKIPPED = {".svg", ".png", ".pdf", ".npy", ".html", ".json", ".pdparams", ".pdopt"}
_MOST_BYTES = 256 * 2**20  # larger files are skipped


def runs_of(folder: Path) -> list[str]:
    """Return the common prefix of the files of each backward, the oldest first."""
    return sorted(path.name.removesuffix(_BACKWARD) for path in folder.rglob(f"*{_BACKWARD}"))


def table_of(folder: str | Path, run: int = -1) -> Table:
    """Return the table of the graph that the files of a folder describe.

    Args:
        folder: the folder of graph dumps, stack files and logs; subfolders are included.
        run: which of its backwards, if there are several; the last one by default.

    Raises:
        InvalidArgumentError: when the folder, a graph in it, or the run does not exist.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise InvalidArgumentError(f"explore reads a folder, but {str(folder)!r} is not one.")
    runs = runs_of(folder)
    if runs and not -len(runs) <= run < len(runs):
        raise InvalidArgumentError(
            f"{folder} has {len(runs)} backwards, but number {run} was requested."
        )
    stem = runs[run] if runs else ""
    table = Table(f"{folder.resolve().name} {stem}".strip(), "files")
    if len(runs) > 1:
        which = runs.index(stem) + 1
        table.note(
            f"Backward {which} of the {len(runs)} in this folder; --backward N shows another."
        )
    texts = dict(_texts(folder, runs, stem))
    _read_graphs(table, texts)
    if not table.nodes:
        raise InvalidArgumentError(
            f"{folder} has no graph: write one with backward(dump_backward_graph_path=...), "
            "capture_backward_subgraph_guard or capture_forward_subgraph_guard."
        )
    _read_details(table, texts)
    return table


def _read_graphs(table: Table, texts: dict[Path, str]) -> None:
    """Read the backward graphs, then their reversed graphs, then captured forward graphs."""
    for path, text in texts.items():
        if path.name.endswith(_BACKWARD):
            _read_backward(table, text)
    for path, text in texts.items():
        if path.name.endswith("_ref_forward_graph.dot"):
            _read_reference(table, text)
    for text in texts.values():
        if text.lstrip().startswith("digraph {") and "shape:[" in text:
            _read_forward(table, text)


def _read_details(table: Table, texts: dict[Path, str]) -> None:
    """Read gradients, logs and stacks, whose nodes the graphs have brought."""
    for path, text in texts.items():
        if "digraph" in text[:20]:
            continue
        if path.name.endswith("_grad_tensors.log"):
            _read_gradients(table, text, path.parent)
        elif log_lines.is_log(text):
            log_lines.attribute(table, text)
        else:
            _read_stacks(table, text)


def _texts(folder: Path, runs: list[str], stem: str):
    """Yield the path and text of files that belong to the run ``stem`` or to no run."""
    others = tuple(each for each in runs if each != stem)
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        if path.suffix in _SKIPPED or (others and path.name.startswith(others)):
            continue
        if path.stat().st_size <= _MOST_BYTES:
            text = path.read_text(encoding="utf-8", errors="replace")
            if "\0" not in text[:4096]:
                yield path, text


# ---- graphs


def _statements(text: str):
    """Yield (name, other name or None, label) of every statement of DOT text."""
    for found in _STATEMENT.finditer(text):
        label = _LABEL.search(found["attributes"])
        if label is not None:
            other = found["b"]
            yield _plain(found["a"]), other and _plain(other), _plain(label.group(1))


def _plain(text: str) -> str:
    if text.startswith('"'):
        text = text[1:-1].replace("\\n", "\n").replace('\\"', '"').replace("\\\\", "\\")
    return text


def _read_backward(table: Table, text: str) -> None:
    for name, other, label in _statements(text):
        lines = label.split("\n")
        if other is None:
            _backward_node(table, name, lines)
            continue
        source, target = table.find(("dot", name)), table.find(("dot", other))
        if source is not None and target is not None:
            dtype, shape = _aval(lines[-1])
            known = lines[0].removesuffix("@Grad") if len(lines) > 2 else ""
            table.edge(source, target, "fb", name=known, dtype=dtype, shape=shape)
            _name_call(table, target, known)


def _name_call(table: Table, entry: dict, made: str) -> None:
    """Name a PyLayer's node, which is not counted, after its call, known from an output's name."""
    found = _OUTPUT.match(made)
    if entry["kind"] == "pylayer" and found and table.find(found.group(1)) is None:
        entry["name"] = found.group(1)
        table.alias(found.group(1), entry)


def _backward_node(table: Table, name: str, lines: list[str]) -> None:
    pointer = lines[1].rpartition(" ")[2] if len(lines) > 1 else None
    entry = table.node(pointer or name, passes="fb")
    table.alias(("dot", name), entry)
    entry["pointer"], entry["grad_name"] = pointer, lines[0]
    if lines[0] == "GradNodeAccumulation":
        entry["kind"] = entry["op"] = "leaf"
        entry["name"] = lines[2] if len(lines) > 2 else "leaf"
        return
    if lines[0].startswith("GradNodePyLayer_"):
        entry["kind"] = "pylayer"
    entry["name"] = lines[0].removeprefix("GradNodePyLayer_").removesuffix("GradNode")
    entry["op"] = _NUMBER.sub("", entry["name"])
    table.alias(entry["name"], entry)


def _read_reference(table: Table, text: str) -> None:
    """Read the reversed graph: it contains the shapes of the forward tensors."""
    for name, other, label in _statements(text):
        source, target = table.find(("dot", other)), table.find(("dot", name))
        if other is not None and source is not None and target is not None:
            dtype, shape = _aval(label)
            for edge in table.edges_of(source):
                if edge["target"] == target["id"] and dtype is not None:
                    edge["dtype"], edge["shape"] = dtype, shape


def _read_forward(table: Table, text: str) -> None:
    """Read a captured forward graph; its calls are the nodes of the same names."""
    for name, other, label in _statements(text):
        if other is None:
            _forward_node(table, name)
            continue
        maker, taker = _forward_node(table, name), _forward_node(table, other)
        if any(edge["target"] == maker["id"] for edge in table.edges_of(taker)):
            continue
        lines = label.split("\n")
        shape = _aval(f"shape {lines[1]}")[1] if len(lines) > 1 else None
        dtype = lines[2].removeprefix("dtype:").rstrip(",") if len(lines) > 2 else None
        table.edge(taker, maker, "f", name=lines[0].rstrip(","), dtype=dtype, shape=shape)


def _forward_node(table: Table, name: str) -> dict:
    plain = name.removesuffix(",_SourceNode")
    entry = table.find(plain)
    if entry is None:
        leaves = [each for each in table.nodes if each["kind"] == "leaf" and each["name"] == plain]
        entry = leaves[0] if leaves and plain != name else table.node(plain, passes="f")
        table.alias(plain, entry)
        if not leaves:
            entry["name"] = plain
            entry["kind"] = "input" if plain != name else "op"
            entry["op"] = "input" if plain != name else _NUMBER.sub("", plain)
    add_pass(entry, "f")
    return entry


def _aval(text: str) -> tuple[str | None, list[int] | None]:
    """Return dtype and shape of "float32[2, 3]".

    Example:
        >>> _aval("float32 [2, 3]"), _aval("")
        (('float32', [2, 3]), (None, None))
    """
    found = _AVAL.search(text.replace(":", " "))
    if found is None:
        return None, None
    return found.group(1), [int(each) for each in found.group(2).split(",") if each.strip()]


# ---- stacks


def _read_stacks(table: Table, text: str) -> None:
    for key, block in _blocks(_NODE_STACK, text, 2):
        _give_stack(table, key, block)
    if "GradNodeBase" not in text:
        for key, block in _blocks(_CALL_STACK, text, 1):
            _give_stack(table, key, block)


def _blocks(head: re.Pattern, text: str, group: int):
    """Yield the name in each head, and the text up to the next head."""
    found = list(head.finditer(text))
    for number, each in enumerate(found):
        end = found[number + 1].start() if number + 1 < len(found) else len(text)
        yield each.group(group), text[each.end() : end]


def _give_stack(table: Table, key: str, block: str) -> None:
    entry = table.find(key)
    if entry is not None and entry["stack"] is None:
        frames = [
            traceback.FrameSummary(
                file, int(line), function, line=source.strip(), lookup_line=False
            )
            for file, line, function, source in _FRAME.findall(block)
        ]
        if frames:
            entry["stack"] = table.stack(frames)


# ---- gradients


def _read_gradients(table: Table, text: str, folder: Path) -> None:
    """Read the dumped values of gradients, or their summaries."""
    edges = [edge for edge in table.edges if "b" in edge["passes"]]
    by_name: dict[str, list[dict]] = {}
    for edge in edges:
        by_name.setdefault(edge["name"], []).append(edge)
    arriving = Counter(edge["target"] for edge in edges)
    blocks = text.split("Variable: ")[1:]
    is_in_order = len(blocks) == len(edges)  # both list the passed gradients in order
    for number, block in enumerate(blocks):
        name, _, lines = block.partition("\n")
        same = by_name.get(name.removesuffix("@Grad"), [])
        edge = same.pop(0) if same else edges[number] if is_in_order else None
        if edge is None:
            continue
        edge["figures"] = _figures_of(dict(_FIELD.findall(lines)), folder)
        if arriving[edge["target"]] == 1:  # of several, only the sum is received: not in the log
            shown = {key: edge[key] for key in ("dtype", "shape", "figures")}
            table.nodes[edge["target"]]["gradients"] = [{"name": name, **shown}]


def _figures_of(fields: dict[str, str], folder: Path) -> dict | None:
    """Return the figures of a block: from its values, or from its summary."""
    if "npy" in fields and (folder / fields["npy"]).exists():
        return figures.of_values(_values_of(folder / fields["npy"]))
    data = fields.get("data", "").strip("[]")
    if "elements" not in fields:
        try:
            return figures.of_values(_numbers(data.split()))
        except ValueError:
            return None
    return {
        "count": int(fields["elements"]), "nan": int(fields["nan"]), "inf": int(fields["inf"]),
        "zero": None, "min": _real(fields["min"]), "max": _real(fields["max"]),
        "mean": _real(fields["mean"]), "norm": None, "histogram": None,
    }  # fmt: skip


def _values_of(path: Path) -> np.ndarray:
    """Return the array of a file.

    Raises:
        InvalidArgumentError: when it is damaged, or not an array of numbers.
    """
    try:
        mapped = np.load(path, mmap_mode="r", allow_pickle=False)  # allocates nothing by its header
        if not isinstance(mapped, np.ndarray) or mapped.dtype.kind not in "biufc":
            raise ValueError("it does not contain an array of numbers")
        return np.array(mapped)
    except (ValueError, EOFError, OSError, SyntaxError, OverflowError) as error:
        raise InvalidArgumentError(f"{path} is not an array, or it is damaged: {error}.") from error


def _numbers(words: list[str]) -> np.ndarray:
    is_complex = any(word.endswith("j") for word in words)
    return np.array([complex(word) if is_complex else float(word) for word in words])


def _real(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:  # the mean of complex numbers is complex
        return None
    return value if np.isfinite(value) else None
