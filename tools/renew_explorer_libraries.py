"""Download the JavaScript libraries of the explorer's page again, and check their integrity.

python tools/renew_explorer_libraries.py  # needs npm

For a new version: change it in ``PACKAGES``, with the integrity that ``npm view NAME@VERSION
dist.integrity`` prints, and in the table of the README.md in the same folder.
"""

import base64
import hashlib
import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parents[1] / "jaxeager" / "debug" / "explorer" / "assets" / "vendor"


class Package(NamedTuple):
    """A package of the npm registry, and its kept files with their names."""

    name: str
    version: str
    integrity: str
    files: dict[str, str]


PACKAGES = [
    Package(
        "cytoscape",
        "3.34.4",
        "sha512-msY99tMY8iWTg+sIPGfSqDcPNOt4xcj+v/K/7qUFaCUxxlqnMkUYLBjRUzn9W5CU/R2hrmtJa5+UtovrEM2ctg==",
        {"dist/cytoscape.min.js": "cytoscape.min.js", "LICENSE": "cytoscape.LICENSE"},
    ),
    Package(
        "@dagrejs/dagre",
        "3.1.3",
        "sha512-X4aUTwOReZvthaZWOVHqlJ52/ZdhZFEM4+Lh/uR4XooUSLE6p71bcy7MPGzYnNUcNh+nj+i/qJQpCMIdQnSmrg==",
        {"dist/dagre.min.js": "dagre.min.js", "LICENSE": "dagre.LICENSE"},
    ),
]


def fetch(package: Package) -> None:
    """Write a package's files into the folder.

    Raises:
        SystemExit: when the download does not match the integrity.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", "--json", f"{package.name}@{package.version}"]
        done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
        archive = Path(folder, json.loads(done.stdout)[0]["filename"])
        if not archive.exists():  # older npm prints the name of a scoped package unchanged
            archive = next(Path(folder).glob("*.tgz"))
        digest = hashlib.sha512(archive.read_bytes()).digest()
        found = "sha512-" + base64.b64encode(digest).decode()
        if found != package.integrity:
            sys.exit(f"{package.name}@{package.version} came with {found}: nothing was changed.")
        with tarfile.open(archive) as files:
            for inside, name in package.files.items():
                member = files.extractfile(f"package/{inside}")
                assert member is not None
                (FOLDER / name).write_bytes(member.read())
                print(f"{name}: {package.name}@{package.version}")


if __name__ == "__main__":
    for each in PACKAGES:
        fetch(each)
