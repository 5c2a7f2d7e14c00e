"""bisect over commits: the first bad one, skipped ones, and a checkout that is left as it was."""

import os
import signal
import subprocess
import sys

import pytest

from jaxeager.__main__ import main
from jaxeager.core.termination import ended_by_sigterm
from jaxeager.debug.bisect import git as git_module
from jaxeager.debug.bisect.commits import bisect_commits, layout_of
from jaxeager.debug.bisect.judge import Judge, Trials
from jaxeager.debug.bisect.search import UnusableError
from tests.debug.bisect.stubs import FileJudge

WHO = {
    f"GIT_{role}_{field}": value
    for role in ("AUTHOR", "COMMITTER")
    for field, value in {
        "NAME": "Ada", "EMAIL": "ada@example.org", "DATE": "2026-01-31T12:00:00",
    }.items()
}  # fmt: skip


@pytest.fixture(autouse=True)
def own_git(monkeypatch):
    """Make git independent of the settings of the machine."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    for name, value in {
        **WHO,
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
    }.items():
        monkeypatch.setenv(name, value)


def git(repo, *arguments):
    done = subprocess.run(["git", *arguments], cwd=repo, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def commit(repo, subject, **files):
    """Commit files, named without ".py", and return the commit's full name."""
    for name, text in files.items():
        (repo / f"{name}.py").write_text(text)
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "--allow-empty", "-m", subject)
    return git(repo, "rev-parse", "HEAD")


@pytest.fixture
def repo(tmp_path, monkeypatch):
    """Return a checkout of nine commits, of which the sixth breaks model.py."""
    made = tmp_path / "repo"
    made.mkdir()
    git(made, "init", "-q", "-b", "main")
    for number in range(1, 10):
        text = f"ok {number}\n" if number < 6 else f"wrong {number}\n"
        commit(made, f"step {number}", model=text, train="pass\n")
    monkeypatch.chdir(made)
    return made


def bisect(tmp_path, ends=("HEAD~8", "HEAD"), program=("train.py",), repo=None):
    judge = FileJudge("model.py")
    layout = layout_of(list(program), repo, [], tmp_path)
    return bisect_commits(Trials(judge), layout, ends), judge


def test_the_first_bad_commit_is_named_with_its_files(repo, tmp_path, capsys):
    status, judge = bisect(tmp_path)
    lines = capsys.readouterr().out.splitlines()
    sixth = git(repo, "rev-parse", "--short", "HEAD~3")
    assert status == 0
    assert lines[-2:] == [
        f"{sixth} is the first bad commit: step 6 (Ada, 2026-01-31)",
        "  +1 -1  model.py",
    ]
    assert lines[0].startswith("7 commits between ")
    first = git(repo, "rev-parse", "--short", "HEAD~8")
    assert lines[1].startswith(f"{first} step 1 ... good, ")
    assert lines[2].endswith("s (exit status 1)")
    assert len(judge.starts) <= 2 + 3


def test_the_checkout_is_not_touched(repo, tmp_path):
    first, last = git(repo, "rev-parse", "HEAD~8"), git(repo, "rev-parse", "HEAD")
    (repo / "model.py").write_text("edited, not committed\n")
    (repo / "staged.py").write_text("x\n")
    git(repo, "add", "staged.py")
    (repo / "untracked.py").write_text("x\n")
    hook = repo / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/hooked\n")
    hook.chmod(0o755)
    git(repo, "bisect", "start", "--no-checkout", last, first)
    (tmp_path / "hooked").unlink(missing_ok=True)
    seen = ("status", "--porcelain"), ("bisect", "log"), ("for-each-ref",), ("rev-parse", "HEAD")
    before = [git(repo, *each) for each in seen]
    index = (repo / ".git" / "index").read_bytes()
    assert bisect(tmp_path, (first, last))[0] == 0
    assert (repo / ".git" / "index").read_bytes() == index
    assert [git(repo, *each) for each in seen] == before
    assert (repo / "model.py").read_text() == "edited, not committed\n"
    assert not (tmp_path / "hooked").exists()
    assert git(repo, "worktree", "list").count("\n") == 0
    assert not (tmp_path / "worktree").exists()


def test_sigterm_ends_the_search_as_ctrl_c_does():
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as raised, ended_by_sigterm():
        signal.raise_signal(signal.SIGTERM)
    assert raised.value.code == 128 + signal.SIGTERM
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_the_worktree_is_removed_when_a_run_is_interrupted(repo, tmp_path, monkeypatch, error):
    def interrupted(self, start):
        assert (tmp_path / "worktree").exists()
        raise error

    monkeypatch.setattr(FileJudge, "judge", interrupted)
    with pytest.raises(error):
        bisect(tmp_path)
    assert not (tmp_path / "worktree").exists()
    assert git(repo, "worktree", "list").count("\n") == 0


def test_a_skipped_commit_is_passed_over(repo, tmp_path, capsys):
    good = commit(repo, "mend", model="ok\n")
    commit(repo, "half done", model="broken\n")
    commit(repo, "done", model="ok again\n")
    commit(repo, "breaks it", model="no\n")
    status, _ = bisect(tmp_path, (good, "HEAD"))
    out = capsys.readouterr().out
    assert status == 0
    assert "is the first bad commit: breaks it (Ada" in out


def test_skipped_commits_next_to_the_bad_one_are_listed(repo, tmp_path, capsys):
    good = commit(repo, "mend", model="ok\n")
    commit(repo, "half done", model="broken\n")
    commit(repo, "done", model="no\n")
    status, _ = bisect(tmp_path, (good, "HEAD"))
    out = capsys.readouterr().out
    assert status == 1
    assert "skip, " in out
    assert "(exit status 125)" in out
    last = out[out.index("Commits were skipped") :].splitlines()
    assert {line.split(" ", 3)[3] for line in last[1:]} == {"half done", "done"}


def test_a_commit_without_the_script_is_skipped(repo, tmp_path, capsys):
    good = commit(repo, "mend", model="ok\n")
    git(repo, "mv", "train.py", "run.py")
    commit(repo, "renamed")
    git(repo, "mv", "run.py", "train.py")
    commit(repo, "renamed back")
    commit(repo, "breaks it", model="no\n")
    commit(repo, "later", model="no, no\n")
    status, _ = bisect(tmp_path, (good, "HEAD"))
    assert status == 0
    assert "is the first bad commit: breaks it" in capsys.readouterr().out
    git(repo, "mv", "train.py", "run.py")
    commit(repo, "renamed for good")
    with pytest.raises(UnusableError, match=r"the good end cannot be judged \(it has no run.py\)"):
        bisect(tmp_path, (good, "HEAD"), ["run.py"])


def test_a_library_is_bisected_under_a_script_of_another_folder(repo, tmp_path, monkeypatch):
    work = tmp_path / "work"
    work.mkdir()
    (work / "use.py").write_text("import model\n")
    monkeypatch.chdir(work)
    monkeypatch.setenv("PYTHONPATH", f"{repo}:/elsewhere")
    status, judge = bisect(tmp_path, program=["use.py", "--lr", "1"], repo=str(repo))
    assert status == 0
    start = judge.starts[-1]
    tree = str(tmp_path / "worktree")
    assert start.command[1:] == ["-m", "jaxeager", str(work / "use.py"), "--lr", "1"]
    assert start.folder == work
    assert start.environment["PYTHONPATH"].split(":")[:3] == [tree, tree, "/elsewhere"]


def test_the_library_itself_is_taken_from_the_worktree(repo, tmp_path, monkeypatch):
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setattr("jaxeager.debug.bisect.judge.ROOT", repo)
    _, judge = bisect(tmp_path)
    assert judge.starts[-1].environment["PYTHONPATH"] == str(tmp_path / "worktree")


def test_ends_on_two_branches_need_a_good_commit_below_both(repo, tmp_path, capsys):
    git(repo, "branch", "side", "HEAD~7")
    git(repo, "checkout", "-q", "side")
    good = commit(repo, "on the side", side="")
    assert bisect(tmp_path, (good, "main"))[0] == 0
    assert "is the first bad commit: step 6" in capsys.readouterr().out
    git(repo, "checkout", "-q", "main")
    git(repo, "checkout", "-q", "-b", "mended")
    good = commit(repo, "mend", model="ok\n")
    git(repo, "checkout", "-q", "main")
    commit(repo, "step 10")
    with pytest.raises(UnusableError, match="bug has been fixed between"):
        bisect(tmp_path, (good, "main"))


def test_data_that_is_not_in_git_is_linked(repo, tmp_path):
    (repo / ".gitignore").write_text("data\n")
    good = commit(repo, "mend", model="ok\n")
    commit(repo, "break", model="no\n")
    (repo / "data").mkdir()
    (repo / "data" / "x.txt").write_text("1")
    kept = []

    class Reading(FileJudge):
        def judge(self, start):
            kept.append((start.folder / "data" / "x.txt").read_text())
            return super().judge(start)

    layout = layout_of(["train.py"], None, ["data"], tmp_path)
    assert bisect_commits(Trials(Reading("model.py")), layout, (good, "HEAD")) == 0
    assert set(kept) == {"1"}
    assert (repo / "data" / "x.txt").read_text() == "1"


def test_a_link_to_what_a_commit_has_is_not_ignored(repo, tmp_path):
    good = commit(repo, "mend", model="ok\n")
    commit(repo, "break", model="no\n")
    layout = layout_of(["train.py"], None, ["model.py"], tmp_path)
    with pytest.raises(UnusableError, match=r"it has model\.py itself"):
        bisect_commits(Trials(FileJudge("model.py")), layout, (good, "HEAD"))


def test_a_merge_and_a_first_commit_have_files(repo):
    git(repo, "checkout", "-q", "-b", "side", "HEAD~1")
    commit(repo, "on the side", side="1\n2\n")
    git(repo, "checkout", "-q", "main")
    git(repo, "merge", "-q", "--no-ff", "-m", "merge it", "side")
    top = git_module.top_of(repo, "--repo")
    merge = git_module.commit_of(top, "HEAD", "--bad")
    assert git_module.changed_files(top, merge) == ["+2 -0  side.py"]
    root = git_module.commit_of(top, "HEAD~9", "--bad")
    assert git_module.changed_files(top, root) == ["+1 -0  model.py", "+1 -0  train.py"]


# ---- arguments


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--good", "HEAD~80", "--bad", "HEAD", "train.py"], "--good HEAD~80: there is no such"),
        (["--good", "HEAD", "--bad", "--oops", "train.py"], None),
        (["--good", "HEAD", "--bad=-x", "train.py"], "--bad -x: there is no such commit"),
        (["--good", "HEAD", "--bad", "main", "train.py"], "are the same commit"),
        (["--good", "HEAD", "--bad", "HEAD~2", "train.py"], "must be the older one"),
        (["--good", "HEAD~1", "--bad", "HEAD", "missing.py"], "there is no script missing.py"),
        (["--good", "A", "--bad", "B", "../outside.py"], "is not in a git checkout"),
        (["--good", "A", "--bad", "B", "--repo", "no", "train.py"], "there is no folder"),
        (["--good", "A", "--bad", "B", "--link", "no", "train.py"], "--link"),
        (["--good", "HEAD", "train.py"], None),
        (["--good", "A", "--bad", "B"], None),
        (["--ops", "bfloat16", "--good", "A", "train.py"], None),
        (["--calls", "-1", "--ops", "float16", "train.py"], None),
        (["--calls", "3", "--good", "A", "--bad", "B", "train.py"], None),
        (["--judge", "md5", "--test", "x", "--good", "A", "--bad", "B", "train.py"], None),
        (["--package", "x", "--repo", ".", "--good", "A", "--bad", "B", "train.py"], None),
    ],
)
def test_unusable_arguments_are_one_line(repo, tmp_path, capsys, arguments, text):
    (tmp_path / "outside.py").write_text("")
    try:
        status = main(["bisect", *arguments])
    except SystemExit as error:  # argparse's
        assert text is None
        status = error.code
    err = capsys.readouterr().err
    assert status == 2
    assert "Traceback" not in err
    if text is not None:
        assert text in err
        assert err.startswith("bisect: ")
        assert err.count("\n") == 1


def test_git_that_is_not_installed_is_named(repo, monkeypatch, capsys):
    monkeypatch.setenv("PATH", "/nowhere")
    assert main(["bisect", "--good", "A", "--bad", "B", "train.py"]) == 2
    assert capsys.readouterr().err.startswith("bisect: git is not installed")


def test_ends_that_are_not_what_they_should_be_show_the_output(repo, tmp_path):
    with pytest.raises(UnusableError, match=r"good end is bad \(exit status 1\)(?s:.*)the tail"):
        bisect(tmp_path, ("HEAD~1", "HEAD"))
    with pytest.raises(UnusableError, match="the bad end is good"):
        bisect(tmp_path, ("HEAD~8", "HEAD~7"))


def test_text_of_a_commit_does_not_control_the_terminal(repo):
    commit(repo, "red \x1b[31m text")
    assert "\x1b" not in git_module.commit_of(repo, "HEAD", "--bad").subject


# ---- real runs


@pytest.mark.deep
def test_a_real_program(repo, capfd):
    """Four runs: an end of each kind, checksums twice, and the report of the first difference."""
    text = "import paddle\nimport model\nprint(model.f(paddle.ones([2])) + 0)\n"
    good = commit(repo, "start", train=text, model="def f(x):\n    return x * 2\n")
    commit(repo, "break it", model="def f(x):\n    return x * 3\n")
    run = ["bisect", "--judge", "md5", "--good", good, "--bad", "HEAD", "train.py"]
    assert main(run) == 0
    out = capfd.readouterr().out
    assert "is the first bad commit: break it (Ada, 2026-01-31)\n  +1 -1  model.py\n" in out
    assert "The runs diverge at line 2 of a: scale1_out_float32_2 differs." in out


@pytest.mark.deep
def test_a_real_program_by_its_status_and_by_a_command(repo, capfd):
    text = "import paddle\nimport model\nprint(model.f(paddle.ones([2])).sum().item())\n"
    good = commit(repo, "start", train=text, model="def f(x):\n    return x * 2\n")
    commit(repo, "typing error", model="def f(x:\n    return x * 2\n")
    commit(repo, "mend it", model="def f(x):\n    return x * 2.0\n")
    commit(repo, "break it", model="def f(x):\n    return x * 3\n")
    commit(repo, "raise", model="def f(x):\n    raise ValueError('no')\n")
    commit(repo, "later", model="def f(x):\n    raise ValueError('not')\n")
    ends = ["bisect", "--good", good, "--bad", "HEAD"]
    assert main([*ends, "-m", "train"]) == 0
    assert "is the first bad commit: raise" in capfd.readouterr().out
    test = 'grep -q 4 "$JAXEAGER_BISECT_OUTPUT"'
    assert main([*ends, "--test", test, "train.py"]) == 0
    out = capfd.readouterr().out
    assert "is the first bad commit: break it" in out


def test_a_verdict_follows_the_exit_status_and_the_test_command(tmp_path):
    """Plain Python is enough for statuses, so the launcher is left out."""
    from jaxeager.debug.bisect.judge import Start

    def verdict(text, **options):
        command = [sys.executable, "-c", text]
        return Judge(tmp_path, **options).judge(Start(command, tmp_path, dict(os.environ)))

    assert verdict("").word == "good"
    assert verdict("raise SystemExit(125)")[:2] == ("skip", "exit status 125")
    assert verdict("f(")[:2] == ("skip", "does not start: SyntaxError: '(' was never closed")
    assert verdict("import os; os.kill(os.getpid(), 9)")[:2] == ("bad", "signal 9")
    failed = verdict("print('to read'); raise ValueError('why')")
    assert failed[:2] == ("bad", "exit status 1")
    assert failed.tail.startswith("to read\nTraceback")
    assert failed.tail.endswith("ValueError: why")
    output = 'test "$(cat $JAXEAGER_BISECT_OUTPUT)" = 7'
    assert verdict("print(7)", test=output).word == "good"
    assert verdict("print(8)", test=output)[:2] == ("bad", "--test returned 1")
    assert verdict("print(8)", test="exit 125").word == "skip"
    assert verdict("raise SystemExit(3)", test="exit 0")[:2] == ("bad", "exit status 3")
    assert verdict("", with_checksums=True).word == "skip"
