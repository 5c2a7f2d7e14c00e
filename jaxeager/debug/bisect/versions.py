"""The versions of a package, each installed in its own folder, and the first bad one.

pip lists and installs them, so its own settings apply: PIP_INDEX_URL, PIP_FIND_LINKS, PIP_NO_INDEX,
PIP_NO_DEPS and its configuration files.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from jaxeager.debug.bisect.judge import (
    CannotStartError,
    Start,
    Trials,
    counted,
    printable,
    start_of,
)
from jaxeager.debug.bisect.search import UnusableError, first_bad

_PACKAGE = re.compile(r"[A-Za-z0-9]([\w.-]*[A-Za-z0-9])?(\[[\w,.-]+\])?", re.ASCII)
_VERSION = re.compile(r"[A-Za-z0-9][\w.!+-]*", re.ASCII)
_SHOWN = 20


def bisect_versions(
    trials: Trials, package: str, ends: tuple[str, str], program: list[str], folder: Path
) -> int:
    """Find the first bad version of a package, print it, and return the exit status.

    Args:
        trials: judges and prints.
        package: the name that pip knows.
        ends: the good version and the bad one.
        program: the program and its arguments.
        folder: a temporary folder, for the installed versions.

    Raises:
        UnusableError: for an unknown package or version, or an end that is not what it should be.
    """
    versions = versions_between(package, *ends)
    installed = Installed(package, folder)
    last = len(versions) - 1
    print(f"{counted(last - 1, 'version')} of {package} between {ends[0]} and {ends[1]}")

    def prepare(number: int) -> Start:
        first = str(installed.folder_of(versions[number]))
        return start_of(program, Path.cwd(), [first])

    def name(number: int) -> str:
        return f"{package} {versions[number]}"

    trials.check_good_end(name(0), lambda: prepare(0))
    trials.check_bad_end(name(last), lambda: prepare(last))
    suspects = first_bad(last, lambda n: trials.run(name(n), lambda: prepare(n)).word)
    if len(suspects) > 1:
        listed = ", ".join([versions[number] for number in suspects])
        print(f"Versions were skipped, so the first bad one of {package} is one of: {listed}")
        return 1
    (found,) = suspects
    print(f"{versions[found]} is the first bad version of {package}")
    changed = installed.changes(versions[found - 1], versions[found])
    if changed:
        print(f"pip installed other versions with it: {', '.join(changed)}")
    print(trials.judge.first_difference(name(0), name(found)), end="")
    return 0


def versions_between(package: str, good: str, bad: str) -> list[str]:
    """Return the versions from the good one to the bad one that pip offers, oldest first.

    Raises:
        UnusableError: if pip knows no such package, does not offer an end, or they are not in
            order.
    """
    if not _PACKAGE.fullmatch(package):
        raise UnusableError(f"--package takes the name of a package, but received {package!r}")
    for end in (good, bad):
        if not _VERSION.fullmatch(end):
            raise UnusableError(f"a version is a text such as 1.2.0, but received {end!r}")
    offered = _offered(package, any(re.search("[a-z]", end) for end in (good, bad)))
    for end in (good, bad):
        if end not in offered:
            more = ["..."] * (len(offered) > _SHOWN)
            raise UnusableError(
                f"pip offers no version {end} of {package} for this Python; it offers "
                f"{', '.join([*more, *offered[-_SHOWN:]])}"
            )
    if offered.index(good) >= offered.index(bad):
        raise UnusableError(f"--good {good} must be an older version than --bad {bad}")
    return offered[offered.index(good) : offered.index(bad) + 1]


def _offered(package: str, with_prereleases: bool) -> list[str]:
    """Return all versions that pip offers, oldest first."""
    done = _pip("index", "versions", *["--pre"] * with_prereleases, package.partition("[")[0])
    found = re.search(r"^Available versions: (.*)$", done.stdout, re.MULTILINE)
    if found is None:
        if "No module named pip" in done.stderr:
            raise UnusableError(f"pip is not installed: {sys.executable} -m ensurepip installs it")
        raise UnusableError(
            f"pip finds no package {package!r}. Check the name and where pip looks "
            f"(PIP_INDEX_URL, PIP_FIND_LINKS). It said: {_said(done)}"
        )
    return [each.strip() for each in found[1].split(",")][::-1]


class Installed:
    """Versions of a package, each installed when it is first needed."""

    def __init__(self, package: str, folder: Path):
        self._package, self._folder = package, folder

    def folder_of(self, version: str) -> Path:
        """Return the folder of a version.

        Raises:
            CannotStartError: if pip cannot install it.
        """
        target = self._folder / f"version-{version}"
        if target.exists():
            return target
        making = self._folder / f"making-{version}"
        done = _pip("install", "--quiet", "--target", str(making), f"{self._package}=={version}")
        if done.returncode:
            raise CannotStartError(f"pip cannot install it: {_said(done)}")
        return making.rename(target)

    def changes(self, before: str, after: str) -> list[str]:
        """Return the packages that two versions have installed differently, other than itself."""
        old, new = self._contents(before), self._contents(after)
        itself = _normal(self._package.partition("[")[0])
        return [
            f"{name} {old.get(name, '(none)')} -> {new.get(name, '(none)')}"
            for name in sorted({*old, *new} - {itself})
            if old.get(name) != new.get(name)
        ]

    def _contents(self, version: str) -> dict[str, str]:
        """Return the packages in the folder of a version, with their versions."""
        found = (self._folder / f"version-{version}").glob("*.dist-info")
        pairs = [each.name.removesuffix(".dist-info").rpartition("-") for each in found]
        return {_normal(name): number for name, _, number in pairs}


def _normal(name: str) -> str:
    """Return a package's name in the form that compares equal."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _pip(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pip for this interpreter."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", *arguments]
    environment = {**os.environ, "PIP_USER": "0"}  # --user excludes --target
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, errors="replace",
        stdin=subprocess.DEVNULL,
    )  # fmt: skip


def _said(done: subprocess.CompletedProcess[str]) -> str:
    """Return the last error of pip."""
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")]
    return printable((errors or lines or ["nothing"])[-1])
