"""docs/coverage.md: every public name of Paddle, and whether it is here.

Paddle's names were recorded by record_paddle_names.py; jaxeager/compat/absent.toml says why a name
is missing.
"""

import functools
import json
from typing import NamedTuple

from record_paddle_names import NAMES, bare, find

from jaxeager.compat.names import reasons, refusal

# The modules of which at least 95 percent must be here.
CORE = "paddle Tensor nn nn.functional nn.initializer linalg fft optimizer".split()


ABSENT = object()


class Coverage(NamedTuple):
    """What of one module of Paddle is here.

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
        """Returns how many names Paddle has."""
        return len(self.same) + len(self.other) + len(self.missing)

    @property
    def present(self) -> int:
        """Returns how many of them are here."""
        return len(self.same) + len(self.other)


def parameters(signature: str) -> list[str]:
    """Returns the names of the parameters of a signature, without ``name`` and ``*`` catch-alls."""
    return [each for each in _parts(signature) if each not in ("", "/", "name") and each[0] != "*"]


def _parts(signature: str) -> list[str]:
    """Returns what stands between the commas of a signature, without defaults."""
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
    """Returns what of each recorded module is here."""
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
    """Says whether all of Paddle's parameters are taken, in its order; unknown ones count so."""
    if theirs is None or ours is None or theirs == "(*args, **kwargs)":
        return True
    first = 1 if module == "Tensor" else 0  # Paddle calls self x, input or var
    wanted = parameters(theirs)[first:]
    return [name for name in parameters(ours)[first:] if name in wanted] == wanted


def why(module: str, name: str) -> str:
    """Returns why a name is missing: what it says itself, its own reason, or its module's."""
    own = reasons().get(f"{module}.{name}") or reasons().get(f"{module}.*")
    return _said(module, name) or own or ""


def _said(module: str, name: str) -> str:
    """Returns what a name says that can be imported and raises when it is called."""
    import jaxeager

    try:
        return refusal(getattr(find(jaxeager, module), name, None))
    except ModuleNotFoundError:
        return ""


def _module_lines(module: str, found: Coverage) -> list[str]:
    lines = [f"## {module}", "", f"{found.present} of {found.count} names."]
    groups: dict[str, list[str]] = {}
    for name in found.missing:
        groups.setdefault(why(module, name), []).append(name)
    if groups:
        lines += ["", "| missing | why |", "|---|---|"]
        lines += [f"| {_code(names)} | {reason} |" for reason, names in groups.items()]
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


def coverage_page() -> str:
    """Returns docs/coverage.md."""
    version = json.loads(NAMES.read_text(encoding="utf-8"))["version"]
    lines = [
        f"# Paddle {version}'s public names",
        "",
        "Made by `python docs/generate.py` from `paddle_names.json` (recorded from Paddle by",
        "`record_paddle_names.py`) and `absent.toml` (why a name is missing), both in",
        "`jaxeager/compat`; do not edit.",
        "*Same parameters*: those of Paddle, by name and in its order; there may be more.",
        "",
        "| module | names | here | share | with other parameters | missing |",
        "|---|---|---|---|---|---|",
    ]
    for module, found in coverage().items():
        share = found.present / found.count
        lines.append(
            f"| [{module}](#{module.replace('.', '').lower()}) | {found.count} | {found.present} | "
            f"{share:.0%} | {len(found.other)} | {len(found.missing)} |"
        )
    lines.append("")
    for module, found in coverage().items():
        lines += _module_lines(module, found)
    return "\n".join(lines)
