"""Write the address of the repository into what a package index shows.

python tools/address.py URL TAG  # in a checkout that a release is built from; it is not committed

README.md's links and pictures become absolute, because an index has no other file of the
repository, and pyproject.toml gets the addresses of the project.
"""

import sys
from pathlib import Path

from links import relinked

ROOT = Path(__file__).resolve().parents[1]

URLS = """
[project.urls]
Homepage = "{url}"
Documentation = "{url}/tree/{tag}/docs"
Source = "{url}"
Issues = "{url}/issues"
Changelog = "{url}/blob/{tag}/CHANGELOG.md"
"""


def absolute(text: str, url: str, tag: str) -> str:
    """Return Markdown whose links to files lead to a repository.

    Args:
        text: Markdown, with links from the top of the repository.
        url: of the repository, without a slash at its end.
        tag: a tag, branch or commit.
    """

    def link(mark: str, words: str, target: str) -> str:
        kind = "raw" if mark else "blob"  # an index shows a picture only from its plain file
        return f"{mark}[{words}]({url}/{kind}/{tag}/{target})"

    return relinked(text, link)


def main(url: str, tag: str, root: Path = ROOT) -> int:
    """Change both files; return the exit status."""
    readme, project = root / "README.md", root / "pyproject.toml"
    head, tool, rest = project.read_text().partition("\n[tool.")
    if "[project.urls]" in head:
        print("pyproject.toml already has [project.urls]", file=sys.stderr)
        return 2
    url = url.rstrip("/")
    readme.write_text(absolute(readme.read_text(), url, tag))
    project.write_text(head + URLS.format(url=url, tag=tag) + tool + rest)
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python tools/address.py URL TAG")
    sys.exit(main(*sys.argv[1:]))
