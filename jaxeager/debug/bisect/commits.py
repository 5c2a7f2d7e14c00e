"""The first bad commit of a checkout: ``git bisect`` in a temporary worktree."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NamedTuple

from jaxeager.debug.bisect.git import Commit, Worktree, changed_files, commit_of, git, top_of
from jaxeager.debug.bisect.judge import ROOT, CannotStartError, Start, Trials, counted, start_of
from jaxeager.debug.bisect.search import UnusableError


class Layout(NamedTuple):
    """The places of the program in the checkout and in the worktree.

    Attributes:
        top: the top folder of the checkout.
        tree: the top folder of the worktree.
        program: the program and its arguments.
        library: the folder that --repo named, which is put on PYTHONPATH; None without it.
        links: files and folders that are not in git, linked into the worktree.
    """

    top: Path
    tree: Path
    program: list[str]
    library: Path | None = None
    links: tuple[Path, ...] = ()

    def moved(self, path: Path) -> Path:
        """Return the path in the worktree; a path outside of the checkout is returned as it is."""
        place = path.parent.resolve() / path.name
        return self.tree / place.relative_to(self.top) if self.holds(path) else path

    def holds(self, path: Path) -> bool:
        """Return whether a path is in the checkout."""
        place = path.parent.resolve() / path.name
        return place == self.top or self.top in place.parents

    def start(self) -> Start:
        """Return the start of the program in the worktree.

        Raises:
            CannotStartError: if the commit has no such script or working directory.
        """
        for path in self.links:
            link = self.moved(path)
            if os.path.lexists(link) and not link.is_symlink():
                raise CannotStartError(
                    f"it has {link.relative_to(self.tree)} itself: --link what is in it"
                )
            if not os.path.lexists(link):
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(path)
        folder, program = self.moved(Path.cwd()), list(self.program)
        if not folder.is_dir():
            raise CannotStartError(f"it has no folder {folder.relative_to(self.tree)}")
        if not program[0].startswith("-"):
            script = self.moved(Path(program[0]).absolute())
            if self.holds(Path(program[0]).absolute()) and not script.exists():
                raise CannotStartError(f"it has no {script.relative_to(self.tree)}")
            program[0] = str(script)
        start = start_of(program, folder, self._libraries())
        path = start.environment["PYTHONPATH"].split(os.pathsep)
        moved = os.pathsep.join([str(self.moved(Path(each))) for each in path])
        return start._replace(environment={**start.environment, "PYTHONPATH": moved})

    def _libraries(self) -> list[str]:
        """Return the folders of the checkout that its code is imported from.

        These are the folder of --repo, and what ``pip install -e`` has put on the path.
        """
        named = [] if self.library is None else [str(self.library)]
        given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        known = {str(Path.cwd()), str(ROOT), "", *given}  # PYTHONPATH itself follows
        others = [p for p in sys.path[1:] if p not in known and not p.startswith(sys.prefix)]
        return named + [p for p in others if self.holds(Path(p))]


def layout_of(program: list[str], repo: str | None, links: list[str], folder: Path) -> Layout:
    """Return the layout of a program.

    Args:
        program: the program and its arguments.
        repo: a folder of the checkout; that of the program when None.
        links: files and folders to link into the worktree.
        folder: a temporary folder, for the worktree.

    Raises:
        UnusableError: if there is no checkout, script or file to link.
    """
    is_script = not program[0].startswith("-")
    script = Path(program[0]).absolute()
    if is_script and not script.exists():
        raise UnusableError(f"there is no script {program[0]}")
    if repo is not None:
        place, option = Path(repo), "--repo"
    else:
        place = script.parent if is_script else Path.cwd()
        option = program[0] if is_script else "the working directory"
    top = top_of(place.absolute(), option)
    library = None if repo is None else Path(repo).resolve()
    paths = tuple([Path(each).absolute() for each in links])
    made = Layout(top, folder / "worktree", program, library, paths)
    for path in paths:
        if not path.exists() or not made.holds(path):
            raise UnusableError(f"--link {path}: there is no such file or folder in {top}")
    return made


def bisect_commits(trials: Trials, layout: Layout, ends: tuple[str, str]) -> int:
    """Find the first bad commit, print it, and return the exit status.

    Args:
        trials: judges and prints.
        layout: the places of the program.
        ends: the good revision and the bad one.

    Raises:
        UnusableError: for an unknown revision, or an end that is not what it should be.
    """
    top = layout.top
    good, bad = commit_of(top, ends[0], "--good"), commit_of(top, ends[1], "--bad")
    _check_order(top, good, bad)
    between = max(0, int(git(top, "rev-list", "--count", f"{good.sha}..{bad.sha}")) - 1)
    print(f"{counted(between, 'commit')} between {good.short} and {bad.short} of {top}")
    with Worktree(top, layout.tree, good) as tree:

        def prepare(commit: Commit) -> Start:
            tree.check_out(commit)
            return layout.start()

        trials.check_good_end(str(good), lambda: prepare(good))
        trials.check_bad_end(str(bad), lambda: prepare(bad))
        tree.start(good, bad)
        while not tree.suspects():
            commit = tree.candidate()
            tree.mark(trials.run(str(commit), layout.start).word)
        suspects = tree.suspects()
    if len(suspects) > 1:
        print("Commits were skipped, so the first bad one is one of:")
        print("\n".join([f"  {each}" for each in suspects]))
        return 1
    _print_found(top, suspects[0])
    print(trials.judge.first_difference(str(good), str(suspects[0])), end="")
    return 0


def _check_order(top: Path, good: Commit, bad: Commit) -> None:
    """Raise if the ends are one commit, or the bad one precedes the good one."""
    if good.sha == bad.sha:
        raise UnusableError(f"--good and --bad are the same commit, {good}")
    if git(top, "merge-base", good.sha, bad.sha, may_fail=True).strip() == bad.sha:
        raise UnusableError(
            f"--bad {bad.short} precedes --good {good.short}: the good commit must be the older one"
        )


def _print_found(top: Path, commit: Commit) -> None:
    """Print the first bad commit and the files it changed."""
    print(
        f"{commit.short} is the first bad commit: {commit.subject} ({commit.author}, {commit.date})"
    )
    for line in changed_files(top, commit):
        print(f"  {line}")
