"""docs/coverage.md: every public name of Paddle, and whether it exists here.

record_paddle_names.py recorded Paddle's names; jaxeager/launcher/absent.toml states why a name is
missing.
"""

import functools
import json
from typing import NamedTuple

from public_cases import public_cases
from record_paddle_names import NAMES, bare, find

from jaxeager.launcher.known_names import classes, reasons, refusal

# The modules of which at least 95 percent must exist here.
CORE = "paddle Tensor nn nn.functional nn.initializer linalg fft optimizer".split()

# Classes of names (absent.toml) that are out of scope; and a module of Paddle's bindings to C++,
# which the total counts separately.
APART = "static graph", "parameter server", "vendor"
PRIVATE = "_C_ops"


ABSENT = object()


class Coverage(NamedTuple):
    """The coverage of one module of Paddle.

    Attributes:
        same: names whose parameters have Paddle's names and order, or that are values.
        other: (name, Paddle's signature, ours) of names with other parameters.
        missing: names that are absent.
    """

    same: list[str]
    other: list[tuple[str, str, str]]
    missing: list[str]

    @property
    def count(self) -> int:
        """Return the number of names that Paddle has."""
        return len(self.same) + len(self.other) + len(self.missing)

    @property
    def present(self) -> int:
        """Return the number of those that exist here."""
        return len(self.same) + len(self.other)


def parameters(signature: str) -> list[str]:
    """Return the names of the parameters of a signature, without ``name`` and ``*`` catch-alls."""
    return [each for each in _parts(signature) if each not in ("", "/", "name") and each[0] != "*"]


def _parts(signature: str) -> list[str]:
    """Return the parts between the commas of a signature, without defaults."""
    depth, names, current = 0, [], ""
    for letter in signature[1 : signature.rindex(")")] + ",":
        depth += (letter in "([{<") - (letter in ")]}>")
        if letter == "," and depth == 0:
            names.append(current.partition("=")[0].strip())
            current = ""
        else:
            current += letter
    return names


@functools.cache
def coverage() -> dict[str, Coverage]:
    """Return the coverage of each recorded module."""
    recorded = json.loads(NAMES.read_text(encoding="utf-8"))["modules"]
    return {module: _compare(module, names) for module, names in recorded.items()}


def _compare(module: str, names: dict[str, str | None]) -> Coverage:
    import jaxeager

    try:
        place = find(jaxeager, module)
    except ModuleNotFoundError:
        return Coverage([], [], list(names))
    found = Coverage([], [], [])
    for name, signature in names.items():
        value = getattr(place, name, ABSENT)
        if value is ABSENT or refusal(value):
            found.missing.append(name)
            continue
        ours = bare(value)
        if _are_alike(module, signature, ours):
            found.same.append(name)
        else:
            found.other.append((name, signature, ours))
    return found


def _are_alike(module: str, theirs: str | None, ours: str | None) -> bool:
    """Return whether all of Paddle's parameters are accepted in order; unknown ones count."""
    if theirs is None or ours is None or theirs == "(*args, **kwargs)":
        return True
    first = 1 if module == "Tensor" else 0  # Paddle names self x, input or var
    wanted = parameters(theirs)[first:]
    return [name for name in parameters(ours)[first:] if name in wanted] == wanted


def class_of(module: str, name: str) -> str:
    """Return the kind of a missing name."""
    return classes().get(f"{module}.{name}") or classes().get(f"{module}.*") or ""


def wanted(modules: list[str]) -> tuple[int, int]:
    """Return the number of names of modules that exist here, and of all names in scope."""
    found = {module: coverage()[module] for module in modules}
    here = sum(each.present for each in found.values())
    missing = [(module, name) for module, each in found.items() for name in each.missing]
    return here, here + sum(class_of(*each) not in APART for each in missing)


def share(modules: list[str]) -> float:
    """Return the share of names of modules, of those in scope, that exist here."""
    here, count = wanted(modules)
    return here / count if count else 1.0


def why(module: str, name: str) -> str:
    """Return why a name is missing: its own text, its own reason, or its module's."""
    own = reasons().get(f"{module}.{name}") or reasons().get(f"{module}.*")
    return _said(module, name) or own or ""


def _said(module: str, name: str) -> str:
    """Return the text of a name that can be imported and raises when it is called."""
    import jaxeager

    try:
        return refusal(getattr(find(jaxeager, module), name, None))
    except ModuleNotFoundError:
        return ""


def _module_lines(module: str, found: Coverage) -> list[str]:
    lines = [f"## {module}", "", f"{found.present} of {found.count} names."]
    groups: dict[tuple[str, str], list[str]] = {}
    for name in found.missing:
        groups.setdefault((class_of(module, name), why(module, name)), []).append(name)
    if groups:
        lines += ["", "| missing | class | why |", "|---|---|---|"]
        lines += [f"| {_code(names)} | {kind} | {text} |" for (kind, text), names in groups.items()]
    if found.other:
        lines += ["", "| other parameters | Paddle's | here |", "|---|---|---|"]
        lines += [f"| `{n}` | `{_cell(p)}` | `{_cell(o)}` |" for n, p, o in found.other]
    if found.same:
        lines += ["", f"Here, with the same parameters: {_code(found.same)}"]
    return [*lines, ""]


def _code(names: list[str]) -> str:
    return " ".join(f"`{name}`" for name in names)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _total() -> list[str]:
    """Return the line with the total coverage, and a table of the missing names."""
    public = [module for module in coverage() if module != PRIVATE]
    here, count = wanted(public)
    whole = wanted(list(coverage()))
    missing = [(module, name) for module, each in coverage().items() for name in each.missing]
    kinds: dict[str, list[bool]] = {}
    for module, name in missing:
        kinds.setdefault(class_of(module, name), []).append(module == PRIVATE)
    rows = [
        f"| {kind} | {len(found) - sum(found)} | {sum(found)} |"
        for kind, found in sorted(kinds.items())
    ]
    return [
        f"**{here / count:.1%}**: {here} of the {count} public names that are not of static "
        f"graphs, parameter servers or one vendor. With `{PRIVATE}`, Paddle's own bindings to its "
        f"C++: {whole[0] / whole[1]:.1%}, {whole[0]} of {whole[1]}.",
        "",
        f"| missing names of | public | in `{PRIVATE}` |",
        "|---|---|---|",
        *rows,
        "",
    ]


def coverage_page() -> str:
    """Return docs/coverage.md."""
    version = json.loads(NAMES.read_text(encoding="utf-8"))["version"]
    lines = [
        f"# Paddle {version}'s public names",
        "",
        "Made by `python tools/generate.py` from `paddle_names.json` (recorded from Paddle by",
        "`record_paddle_names.py`) and `absent.toml` (why a name is missing), both in",
        "`jaxeager/launcher`; do not edit.",
        "*Same parameters*: those of Paddle, by name and in its order; there may be more. *Share*:",
        "of the names that are not of static graphs, parameter servers or one vendor.",
        "",
        *_total(),
        "| module | names | here | share | with other parameters | missing |",
        "|---|---|---|---|---|---|",
    ]
    for module, found in coverage().items():
        lines.append(
            f"| [{module}](#{module.replace('.', '').lower()}) | {found.count} | {found.present} | "
            f"{share([module]):.0%} | {len(found.other)} | {len(found.missing)} |"
        )
    lines += ["", *public_cases()]
    for module, found in coverage().items():
        lines += _module_lines(module, found)
    return "\n".join(lines)
