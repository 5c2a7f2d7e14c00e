"""python -m paddle.distributed.launch: runs a script, in the requested number of processes."""

from __future__ import annotations

import argparse
import glob
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from jaxeager.debug.common.output_files import check_writable
from jaxeager.distributed.communication import world
from jaxeager.distributed.launch import profiles, ranks
from jaxeager.errors import JaxEagerError

_SHOWN_LINES = 25  # of the log of a failed rank
_CRASH = "Fatal Python error: "  # begins the output of Python's fault handler


def launch(arguments: Sequence[str] | None = None) -> None:
    """Run a script like Paddle's launcher: a single process in this one, several as ranks.

    Each rank's output is written to ``workerlog.N`` in the log folder, that of rank 0 also to this
    process's output. When a rank fails, the others are ended, and an error reports which rank it
    was, its exit code or signal, what all ranks were doing, and the end of its log.

    Args:
        arguments: options, the script and its arguments; those of this process when None.

    Raises:
        SystemExit: when options are invalid, or the master's port is in use; with the exit code of
            the failed rank, or 128 plus the number of its signal.

    Example:
        >>> import jaxeager as paddle, tempfile
        >>> with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        ...     _ = file.write("import sys; print(sys.argv[1:])")
        ...     file.flush()
        ...     paddle.distributed.launch(["--gpus", "0", file.name, "--epochs", "3"])
        ['--epochs', '3']
    """
    run_script(sys.argv[1:] if arguments is None else arguments, _run_here)


def run_script(arguments: Sequence[str], run_alone: Callable[[str, Sequence[str]], None]) -> None:
    """Run a script; see ``launch``.

    Args:
        arguments: options, the script and its arguments.
        run_alone: runs a script, with its arguments, as the only process of its program.
    """
    parser = _parser()
    chosen = parser.parse_args(list(arguments))
    devices = _devices(parser, chosen)
    nodes = _whole(parser, "--nnodes", chosen.nnodes)
    if chosen.profile is not None:
        chosen.profile = os.path.abspath(chosen.profile)  # the program may change its folder
        _check_folder(parser, chosen.profile)
    if chosen.profile is not None and not Path(chosen.training_script).is_file():
        parser.error(f"there is no script {chosen.training_script}")
    if len(devices) * nodes == 1:
        _run_one(chosen, run_alone)
        return
    node = _whole(parser, "--rank", chosen.rank or "0", least=0)
    if nodes > 1 and not (chosen.master and chosen.rank):
        parser.error(
            "--nnodes needs --master, the address and a free port of the first machine, and --rank"
        )
    if not Path(chosen.training_script).is_file():
        parser.error(f"there is no script {chosen.training_script}")
    if chosen.master and node == 0:
        try:
            world.check_master_port(chosen.master)
        except JaxEagerError as error:
            parser.error(error.message)
    _Ranks(chosen, devices, nodes, node).run()


def _run_one(chosen: argparse.Namespace, run_alone: Callable[[str, Sequence[str]], None]) -> None:
    """Run a script as the only process of its program."""
    script = chosen.training_script, chosen.training_script_args
    if not chosen.profile:
        run_alone(*script)
        return
    profiles.remove_old(chosen.profile, range(1), 1)
    process = os.getpid()
    try:
        with profiles.profiled(chosen.profile):
            run_alone(*script)
    finally:
        if os.getpid() == process:  # not in a child that the program has forked
            profiles.report(chosen.profile, 1, range(1), {})


def _check_folder(parser: argparse.ArgumentParser, folder: str) -> None:
    """End the program when a folder cannot be created or written."""
    try:
        check_writable(os.path.join(folder, "ranks.html"), "--profile")
    except JaxEagerError as error:
        parser.error(error.message)


def _run_here(path: str, arguments: Sequence[str]) -> None:
    """Run a script in this process, which continues after it."""
    script = Path(path).resolve()
    before = sys.argv, sys.path[0]
    sys.argv = [path, *arguments]
    sys.path[0] = str(script.parent)
    try:
        runpy.run_path(str(script), run_name="__main__")
    finally:
        sys.argv, sys.path[0] = before


def _parser() -> argparse.ArgumentParser:
    """Return the parser of Paddle's options."""
    parser = argparse.ArgumentParser(
        prog=f"python -m {__package__}",
        description="Runs a script in one or more processes that communicate with each other.",
    )
    for name in (
        "log_level log_overwrite sort_ip enable_gpu_log legacy run_mode job_id host start_port "
        "auto_parallel_config auto_cluster_config auto_tuner_json max_restart elastic_level "
        "elastic_timeout backend"
    ).split():
        parser.add_argument(f"--{name}", help="an option of Paddle's launcher, without effect here")
    parser.add_argument("--nnodes", default="1", help="the number of machines")
    parser.add_argument(
        "--nproc_per_node", help="the number of processes on each; 1, or one per device"
    )
    parser.add_argument("--rank", help="the number of this machine")
    parser.add_argument("--master", help="address:port of the first machine")
    parser.add_argument(
        "--profile", metavar="FOLDER",
        help="profile all ranks, and write one report about them: ranks.html, ranks.txt and "
        "trace.json",
    )  # fmt: skip
    parser.add_argument("--log_dir", default="log", help="folder for workerlog.N")
    parser.add_argument(
        "--devices", "--gpus", "--npus", "--xpus", default="", help="accelerators, by number"
    )
    parser.add_argument("--ips", default="", help="the machines: this one; see --nnodes")
    parser.add_argument("training_script", help="the script")
    parser.add_argument("training_script_args", nargs=argparse.REMAINDER, help="its arguments")
    return parser


def _whole(parser: argparse.ArgumentParser, option: str, text: str, least: int = 1) -> int:
    """Return a number; end the program when the text is not a number."""
    if not text.isdigit() or int(text) < least:
        parser.error(f"{option} is a number from {least}, but received {text!r}")
    return int(text)


def _devices(parser: argparse.ArgumentParser, chosen: argparse.Namespace) -> list[str]:
    """Return the accelerators of each process of this machine, "" for all visible ones."""
    if "," in chosen.ips:
        parser.error("--ips names several machines: use --nnodes, --master and --rank on each")
    given = [each for each in chosen.devices.split(",") if each]
    if chosen.nproc_per_node is None:
        return given or [""]
    count = _whole(parser, "--nproc_per_node", chosen.nproc_per_node)
    if not given and count > 1 and len(glob.glob("/dev/nvidia[0-9]*")) >= count:
        given = [str(each) for each in range(count)]
    if given and count > len(given):
        parser.error(f"--nproc_per_node={count} needs more devices than --devices={chosen.devices}")
    if not given:
        return [""] * count
    return [",".join(given[i::count]) for i in range(count)]


class _Ranks:
    """The processes of this machine, and reports about them."""

    def __init__(self, chosen: argparse.Namespace, devices: Sequence[str], nodes: int, node: int):
        self.script = [chosen.training_script, *chosen.training_script_args]
        self.devices = devices
        self.first = node * len(devices)
        count = self.count = nodes * len(devices)
        self.profile = chosen.profile or ""
        ports = ranks.free_ports(count + 1)
        self.master = chosen.master or f"127.0.0.1:{ports[-1]}"
        self.endpoints = [f"127.0.0.1:{port}" for port in ports[:count]]
        self.folder = Path(chosen.log_dir)
        self.processes: dict[int, subprocess.Popen] = {}
        self.records: dict[int, str] = {}
        self.began = time.monotonic()

    @property
    def own(self) -> range:
        """Return the ranks of this machine."""
        return range(self.first, self.first + len(self.devices))

    def log_of(self, rank: int) -> Path:
        """Return the log file of a rank's output."""
        return self.folder / f"workerlog.{rank}"

    def start(self, records: str) -> None:
        """Start the processes."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.profile:
            profiles.remove_old(self.profile, self.own, self.count)
        for local_rank, device in enumerate(self.devices):
            rank = self.first + local_rank
            self.records[rank] = os.path.join(records, f"rank.{rank}")
            added = ranks.environment(
                rank, local_rank, self.endpoints, self.master, self.records[rank], device
            )
            with self.log_of(rank).open("wb") as log:
                self.processes[rank] = subprocess.Popen(
                    [sys.executable, "-m", f"{__package__}.rank", self.profile, *self.script],
                    env=os.environ | added, stdout=log, stderr=subprocess.STDOUT,
                )  # fmt: skip

    def run(self) -> None:
        """Run all processes to their end; end the program when one fails."""
        signal.signal(signal.SIGTERM, _end_by_signal)
        over = threading.Event()
        shown = threading.Thread(target=_show, args=(self.log_of(self.first), over), daemon=True)
        failed = None
        with tempfile.TemporaryDirectory() as records:
            try:
                self.start(records)
                shown.start()
                failed = ranks.wait_for_all(self.codes, follows=self.follows)
                doing = ranks.what_each_was_doing(self.records)
            except KeyboardInterrupt:
                ranks.wait_for_all(self.codes, limit=2.0)  # also when this process was interrupted
                raise SystemExit(130) from None
            finally:
                ranks.end_all(list(self.processes.values()))
                over.set()
                if shown.is_alive():
                    shown.join()
                self.report(failed)
        if failed is not None:
            self.tell(*failed, doing)

    def report(self, failed: tuple[int, int] | None) -> None:
        """Write the report of ``--profile``, if it is requested."""
        if self.profile:
            problems = {} if failed is None else {failed[0]: f"it {ranks.ending(failed[1])}"}
            profiles.report(self.profile, self.count, self.own, problems)

    def codes(self) -> dict[int, int | None]:
        """Return the exit code of each rank, None for a running one."""
        return {rank: process.poll() for rank, process in self.processes.items()}

    def follows(self, rank: int) -> bool:
        """Return whether JAX has ended a rank because it had lost another."""
        return "JAX distributed service detected" in self.log_of(rank).read_text(errors="replace")

    def tell(self, rank: int, code: int, doing: str) -> NoReturn:
        """Print which rank failed, and end the program."""
        log = self.log_of(rank)
        end = "".join(f"\n  {each}" for each in _end_of(log)) or "\n  (nothing)"
        was_shown = rank == self.first
        print(
            f"\nRank {rank} (process {self.processes[rank].pid}) {ranks.ending(code)}, "
            f"{time.monotonic() - self.began:.0f} s after the start; the others were ended.\n"
            f"{doing}" + ("" if was_shown else f"\nThe end of its log, {log}:{end}"),
            file=sys.stderr, flush=True,
        )  # fmt: skip
        raise SystemExit(ranks.exit_code(code))


def _end_of(log: Path) -> list[str]:
    """Return the last lines of a log, without the stacks that Python prints of a crash."""
    lines = log.read_text(errors="replace").splitlines()
    crash = next((at for at, line in enumerate(lines) if line.startswith(_CRASH)), len(lines))
    return lines[: crash + 1][-_SHOWN_LINES:]


def _end_by_signal(number: int, frame: object) -> NoReturn:
    raise SystemExit(128 + number)


def _show(log: Path, over: threading.Event) -> None:
    """Print new content of a log, until ``over`` is set."""
    with log.open("rb") as file:
        while True:
            is_over = over.is_set()
            found = file.read()
            if found:
                sys.stdout.write(found.decode(errors="replace"))
                sys.stdout.flush()
            elif is_over:
                return
            else:
                over.wait(0.1)
