"""git, for the search in commits: revisions, a temporary worktree, and ``git bisect`` in it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from jaxeager.debug.bisect.judge import printable
from jaxeager.debug.bisect.search import UnusableError

# Hooks of the checkout are for its user's own commands; output is read, so it is in English.
_SETTINGS = {
    "core.hooksPath": os.devnull, "advice.detachedHead": "false", "core.quotePath": "false",
    "log.showSignature": "false",
}  # fmt: skip
_OF_A_CHECKOUT = (  # variables that would lead git to another checkout than the named one
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
)  # fmt: skip
_WIDTH = 72  # of a subject, where many are listed
_END = re.compile(r"^# (?:possible )?first bad commit: \[(\w+)\]", re.MULTILINE)


class Commit(NamedTuple):
    """A commit, as it is shown.

    Attributes:
        sha: its full name.
        short: its short name.
        subject: the first line of its message.
        author: who wrote it.
        date: when, as "2026-01-31".
    """

    sha: str
    short: str
    subject: str
    author: str
    date: str

    def __str__(self) -> str:
        subject = self.subject
        return f"{self.short} {subject if len(subject) <= _WIDTH else f'{subject[:_WIDTH]}...'}"


def git(folder: Path, *arguments: str, may_fail: bool = False) -> str:
    """Run git in a folder and return its output.

    Args:
        folder: where it runs.
        arguments: its arguments.
        may_fail: whether a failure returns "" instead of raising.

    Raises:
        UnusableError: if git is not installed or fails.
    """
    settings = [part for key, value in _SETTINGS.items() for part in ("-c", f"{key}={value}")]
    environment = {key: value for key, value in os.environ.items() if key not in _OF_A_CHECKOUT}
    try:
        done = subprocess.run(
            ["git", *settings, *arguments], cwd=folder, env={**environment, "LC_ALL": "C"},
            capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except FileNotFoundError:
        raise UnusableError(
            "git is not installed, or not on PATH. Install it, or bisect the versions of a package "
            "(--package) or the calls of a program (--ops)"
        ) from None
    if done.returncode and may_fail:
        return ""
    if done.returncode:
        said = " ".join((done.stderr or done.stdout).split())
        raise UnusableError(f"git {arguments[0]} failed in {folder}: {printable(said)}")
    return done.stdout


def top_of(folder: Path, option: str) -> Path:
    """Return the top folder of the checkout that contains a folder.

    Args:
        folder: any folder.
        option: what has named it, for the error.

    Raises:
        UnusableError: if it does not exist or is in no checkout.
    """
    if not folder.is_dir():
        raise UnusableError(f"there is no folder {folder} ({option})")
    try:
        top = git(folder, "rev-parse", "--show-toplevel").strip()
    except UnusableError as error:
        if "not a git repository" not in str(error):
            raise
        raise UnusableError(
            f"{folder} ({option}) is not in a git checkout. Name one by --repo, or bisect the "
            "versions of a package by --package"
        ) from None
    return Path(top).resolve()


def commit_of(top: Path, revision: str, option: str) -> Commit:
    """Return the commit that a revision names.

    Args:
        top: the checkout.
        revision: a commit, branch, tag, HEAD~3, ...
        option: the option that has named it, for the error.

    Raises:
        UnusableError: if there is no such commit.
    """
    is_option = revision.startswith("-")
    name = f"{revision}^{{commit}}"
    found = "" if is_option else git(top, "rev-parse", "--verify", "--quiet", name, may_fail=True)
    if not found:
        raise UnusableError(
            f"{option} {revision}: there is no such commit in {top}. git log shows those it has; "
            "a shallow clone gets the others by git fetch --unshallow"
        )
    shown = git(top, "show", "--no-patch", "--format=%H%x00%h%x00%s%x00%an%x00%as", found.strip())
    return Commit(*map(printable, shown.rstrip("\n").split("\0")))


def changed_files(top: Path, commit: Commit) -> list[str]:
    """Return a line for each file that a commit changed, "+3 -1  train.py", against its parent."""
    parent = git(top, "rev-parse", "--verify", "--quiet", f"{commit.sha}^", may_fail=True).strip()
    empty = git(top, "hash-object", "-t", "tree", os.devnull).strip()
    options = ("--numstat", "--no-ext-diff", "--no-textconv", "--no-renames")
    lines = git(top, "diff", *options, parent or empty, commit.sha).splitlines()
    rows = [line.split("\t", 2) for line in lines]
    return [
        f"{'binary' if added == '-' else f'+{added} -{removed}'}  {printable(name)}"
        for added, removed, name in rows
    ]


class Worktree:
    """A temporary worktree of a checkout, with a ``git bisect`` of its own.

    The checkout's files, branch, index, and a bisect that is in progress there are not touched: a
    worktree has its own HEAD, index and bisect. The checkout lists it while it exists.

    Attributes:
        top: the checkout.
        folder: the top folder of the worktree.
    """

    def __init__(self, top: Path, folder: Path, commit: Commit):
        self.top, self.folder, self._first = top, folder, commit

    def __enter__(self) -> Worktree:
        try:
            git(self.top, "worktree", "add", "--detach", str(self.folder), self._first.sha)
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, *error) -> None:
        self._remove()

    def _remove(self) -> None:
        git(self.top, "worktree", "remove", "--force", str(self.folder), may_fail=True)
        if self.folder.exists():
            shutil.rmtree(self.folder, ignore_errors=True)
            git(self.top, "worktree", "prune", may_fail=True)

    def check_out(self, commit: Commit) -> None:
        """Make the files those of a commit, and no others."""
        self.clean()
        git(self.folder, "checkout", "--quiet", "--force", "--detach", commit.sha)

    def clean(self) -> None:
        """Remove what a run has changed or written."""
        git(self.folder, "reset", "--quiet", "--hard")
        git(self.folder, "clean", "-ffdxq")

    def start(self, good: Commit, bad: Commit) -> None:
        """Start the bisect; its first candidate is checked out."""
        self.clean()
        git(self.folder, "bisect", "start", bad.sha, good.sha)

    def candidate(self) -> Commit:
        """Return the commit that is checked out."""
        return commit_of(self.folder, "HEAD", "HEAD")

    def mark(self, word: str) -> None:
        """Record that the candidate is "good", "bad" or "skip", and check out the next one."""
        self.clean()
        try:
            git(self.folder, "bisect", word)
        except UnusableError:
            if not self.suspects():  # with only skipped ones left, git bisect fails too
                raise

    def suspects(self) -> list[Commit]:
        """Return the first bad commit, several if some were skipped; empty before the end."""
        log = git(self.folder, "bisect", "log")
        return [commit_of(self.folder, sha, "commit") for sha in _END.findall(log)]
