"""Build the documentation: the guides, a reference of every public module, the table of ops.

python docs/site/make_site.py OUT  # writes OUT/index.html; any warning of Sphinx is an error

Nothing is written twice: guides are the Markdown files of the repository, reference pages come from
docstrings (reference.py), the pages of ops from the op table. Only the front page is the site's
own. A link whose text is the name of a page gets that page's title; one to a file that is not a
page becomes its name.
"""

import shutil
import sys
import tempfile
from pathlib import Path

SITE = Path(__file__).resolve().parent
ROOT = SITE.parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tools"), str(SITE)]

from links import relinked  # noqa: E402

FRONT = "docs/site/index.md"
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
        docs/debugging.md docs/backward-errors.md docs/logs.md docs/graphs.md
        docs/nan-and-precision.md docs/two-runs.md docs/slow-or-too-large.md
        docs/debug-recipes.md docs/explorer.md docs/gradients.md
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

MENU = """
```{toctree}
:hidden:
:caption: %s

%s
```
"""


def write_pages(folder: Path) -> None:
    """Write the sources of every page into a folder."""
    from generate import ops_pages
    from reference import write_reference

    shutil.copytree(ROOT / "docs" / "images", folder / "images")
    for name in GUIDES:
        (folder / f"{GUIDES[name]}.md").write_text(guide(name))
    ops = ops_pages()
    for page, text in ops.items():
        (folder / f"{page}.md").write_text(text)
    (folder / "api").mkdir()
    rooms = write_reference(folder / "api")
    menu = {part: [_entry(name) for name in names.split()] for part, names in PARTS.items()}
    menu["Reference"] = [*ops, *(f"{room} <api/{room}>" for room in rooms)]
    with (folder / "index.md").open("a") as front:
        for part, entries in menu.items():
            front.write(MENU % (part, "\n".join(entries)))


def _entry(name: str) -> str:
    """Return a guide's line in the menu, under the first part of its title."""
    return f"{title_of(name).partition(':')[0].replace('`', '')} <{GUIDES[name]}>"


def title_of(name: str) -> str:
    """Return the title of a guide."""
    first = (ROOT / name).read_text().splitlines()[0]
    return first.removeprefix("# ")


def guide(name: str) -> str:
    """Return the text of a guide whose links lead to pages."""
    home = (ROOT / name).parent

    def linked(mark: str, text: str, target: str) -> str:
        path, _, anchor = target.partition("#")
        file = (home / path).resolve().relative_to(ROOT).as_posix()
        if file in GUIDES or file == "docs/ops.md":
            page = GUIDES.get(file, "ops")
            text = title_of(file) if text.endswith(".md") else text
            return f"[{text}]({page}.md{'#' + anchor if anchor else ''})"
        if mark:
            return f"![{text}]({file.removeprefix('docs/')})"
        if not (ROOT / file).exists():
            raise FileNotFoundError(f"{name} links to {target}, which is not there")
        return f"`{file}`"

    return relinked((ROOT / name).read_text(), linked)


def main(out: str) -> int:
    """Build the site; return the exit status."""
    from sphinx.cmd.build import build_main

    with tempfile.TemporaryDirectory() as made:
        pages = Path(made) / "pages"
        pages.mkdir()
        write_pages(pages)
        conf = str(Path(__file__).parent)
        quietly = ["-b", "html", "-j", "auto", "-W", "--keep-going", "-q"]
        status = build_main([*quietly, "-c", conf, "-d", f"{made}/trees", str(pages), out])
    if status == 0:
        print(f"{out}/index.html")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
