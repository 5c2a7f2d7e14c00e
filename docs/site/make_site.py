"""Build the documentation: the guides, a reference of every public module, the table of ops.

python docs/site/make_site.py OUT  # writes OUT/index.html; any warning of Sphinx is an error

Nothing is written twice: guides are the Markdown files of the repository, reference pages come from
docstrings, the ops page from the op table. A link from a guide to a file that is not a page becomes
its name.
"""

import importlib
import inspect
import pkgutil
import re
import shutil
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import get_origin

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

FRONT = "README.md"
# The guides of each part of the menu, in a learner's order.
PARTS = {
    "Tutorial": """
        docs/tutorial/1_tensors.md docs/tutorial/2_gradients.md docs/tutorial/3_training.md
        docs/tutorial/4_look_inside.md docs/tutorial/5_compile_and_save.md
        docs/tutorial/6_many_devices.md docs/tutorial/7_add_an_op.md docs/glossary.md
    """,
    "Guides": """
        docs/drop-in.md docs/autograd.md docs/lazy.md docs/compiling.md docs/speed.md
        docs/accelerators.md docs/saving.md docs/security.md docs/interop.md docs/notebooks.md
        docs/editors.md
        docs/distributed.md docs/processes.md
    """,
    "Find out what is wrong": """
        docs/debugging.md docs/debug-recipes.md docs/explorer.md docs/gradients.md
        docs/gradient-report.md docs/hangs-and-crashes.md docs/memory.md docs/memory-grows.md
        docs/profiler.md docs/accuracy.md docs/special-functions.md docs/lockstep.md
        docs/bisect.md
    """,
    "Paddle": """
        docs/where-paddle-differs.md docs/paddle-faults.md docs/coverage.md docs/models.md
        docs/docstring-examples.md
    """,
    "The project": "docs/how-it-works.md CONTRIBUTING.md docs/releasing.md CHANGELOG.md",
}
GUIDES = {
    FRONT: "index",
    **{name: Path(name).stem.lower() for names in PARTS.values() for name in names.split()},
}
"""The page of each guide."""

# Packages that are not rooms of the public interface, though Python finds them.
INSIDE = "arrays core graph jax_bridge kernels launcher legacy.base notebook ops tensor".split()

_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")

MENU = """
```{toctree}
:hidden:
:caption: %s

%s
```
"""


def write_pages(folder: Path) -> None:
    """Write the sources of every page into a folder."""
    from generate import ops_page

    shutil.copytree(ROOT / "docs" / "images", folder / "images")
    for name in GUIDES:
        (folder / f"{GUIDES[name]}.md").write_text(guide(name))
    (folder / "ops.md").write_text(ops_page())
    (folder / "api").mkdir()
    rooms = public_rooms()
    home = homes(rooms)
    for name, room in rooms.items():
        (folder / "api" / f"{name}.rst").write_text(reference(name, room, home))
    (folder / "api" / "jaxeager.Tensor.rst").write_text(tensor_reference())
    menu = {part: [GUIDES[name] for name in names.split()] for part, names in PARTS.items()}
    references = ["ops", "api/jaxeager", "api/jaxeager.Tensor"]
    references += [f"api/{name}" for name in rooms if name != "jaxeager"]
    menu["Reference"] = references
    with (folder / "index.md").open("a") as front:
        for part, entries in menu.items():
            front.write(MENU % (part, "\n".join(entries)))


def guide(name: str) -> str:
    """Return the text of a guide whose links lead to pages."""
    home = (ROOT / name).parent

    def linked(match: re.Match) -> str:
        mark, text, target = match.groups()
        path, _, anchor = target.partition("#")
        if "://" in target or not path:
            return match[0]
        file = (home / path).resolve().relative_to(ROOT).as_posix()
        if file in GUIDES or file == "docs/ops.md":
            page = GUIDES.get(file, "ops")
            return f"[{text}]({page}.md{'#' + anchor if anchor else ''})"
        if mark:
            return f"![{text}]({file.removeprefix('docs/')})"
        if not (ROOT / file).exists():
            raise FileNotFoundError(f"{name} links to {target}, which is not there")
        return f"`{file}`"

    return _LINK.sub(linked, (ROOT / name).read_text())


def public_rooms() -> dict[str, ModuleType]:
    """Return the modules that list their names: the package and its rooms."""
    package = importlib.import_module("jaxeager")
    found = {"jaxeager": package}
    inside = tuple(f"jaxeager.{room}." for room in INSIDE)
    for each in pkgutil.walk_packages(package.__path__, "jaxeager."):
        is_inner = "._" in each.name or f"{each.name}.".startswith(inside)
        if each.ispkg and not is_inner:
            module = importlib.import_module(each.name)
            if public_names(module):
                found[each.name] = module
    return found


def public_names(module: ModuleType) -> list[str]:
    """Return the names of a module, without other modules."""
    names = getattr(module, "__all__", ())
    return sorted(n for n in names if not inspect.ismodule(getattr(module, n)))


def homes(rooms: dict[str, ModuleType]) -> dict[int, str]:
    """Return the page of each object: that of the innermost room that it was defined in."""
    found: dict[int, tuple[str, str]] = {}
    for room, module in rooms.items():
        for name in public_names(module):
            value = getattr(module, name)
            defined = f"{getattr(value, '__module__', '')}."
            best = found.get(id(value))
            if best is None or (defined.startswith(f"{room}.") and len(room) > len(best[0])):
                found[id(value)] = room, f"{room}.{name}"
    return {each: name for each, (_, name) in found.items()}


def reference(name: str, room: ModuleType, home: dict[int, str]) -> str:
    """Return the page of a room: its description, then every name in it."""
    lines = [name, "=" * len(name), "", f".. automodule:: {name}", "   :no-members:", ""]
    for each in public_names(room):
        value, full = getattr(room, each), f"{name}.{each}"
        if get_origin(value) is not None:  # its docstring is that of a class of Python
            lines += [f".. py:data:: {full}", f"   :value: {value}", ""]
        elif not callable(value):
            lines += [f".. py:data:: {full}", f"   :type: {type(value).__name__}", ""]
        elif full == "jaxeager.Tensor":
            lines += [":py:class:`jaxeager.Tensor` has its own page.", ""]
        elif home[id(value)] != full:
            lines += [
                f".. py:data:: {full}",
                "",
                f"   The same as :py:obj:`{home[id(value)]}`.",
                "",
            ]
        elif inspect.isclass(value):
            lines += [f".. autoclass:: {full}", "   :members:", "   :show-inheritance:", ""]
        else:
            lines += [f".. autofunction:: {full}", ""]
    return "\n".join(lines) + "\n"


def tensor_reference() -> str:
    """Return the page of Tensor, with the methods it has from the op table."""
    title = "jaxeager.Tensor"
    options = ["   :members:", "   :inherited-members: object", "   :undoc-members:"]
    return "\n".join([title, "=" * len(title), "", f".. autoclass:: {title}", *options, ""])


def main(out: str) -> int:
    """Build the site; return the exit status."""
    from sphinx.cmd.build import build_main

    with tempfile.TemporaryDirectory() as made:
        pages = Path(made) / "pages"
        pages.mkdir()
        write_pages(pages)
        conf = str(Path(__file__).parent)
        quietly = ["-b", "html", "-W", "--keep-going", "-q", "-c", conf, "-d", f"{made}/trees"]
        status = build_main([*quietly, str(pages), out])
    if status == 0:
        print(f"{out}/index.html")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
