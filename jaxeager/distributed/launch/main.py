"""python -m paddle.distributed.launch: runs a script, in this process."""

from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path


def launch(arguments: Sequence[str] | None = None) -> None:
    """Runs a script as Paddle's launcher does, in this process and as its only one.

    Args:
        arguments: options, the script and its arguments; those of the process when None.

    Raises:
        SystemExit: when options ask for more than one process, or cannot be read.

    Example:
        >>> import jaxeager as paddle, tempfile
        >>> with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        ...     _ = file.write("import sys; print(sys.argv[1:])")
        ...     file.flush()
        ...     paddle.distributed.launch(["--gpus", "0", file.name, "--epochs", "3"])
        ['--epochs', '3']
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    parser = _parser()
    chosen = parser.parse_args(given)
    _check(parser, chosen)
    script = Path(chosen.training_script).resolve()
    before = sys.argv, sys.path[0]
    sys.argv = [chosen.training_script, *chosen.training_script_args]
    sys.path[0] = str(script.parent)
    try:
        runpy.run_path(str(script), run_name="__main__")
    finally:
        sys.argv, sys.path[0] = before


def _parser() -> argparse.ArgumentParser:
    """Returns the parser of Paddle's options; one process needs none of their values."""
    parser = argparse.ArgumentParser(
        prog="python -m paddle.distributed.launch",
        description="Runs a script in this process: JAX drives all devices from one.",
    )
    for name in (
        "master rank log_level log_overwrite sort_ip enable_gpu_log legacy log_dir run_mode job_id "
        "host start_port auto_parallel_config auto_cluster_config auto_tuner_json max_restart "
        "elastic_level elastic_timeout"
    ).split():
        parser.add_argument(f"--{name}", help="of Paddle's launcher; changes nothing here")
    parser.add_argument("--nnodes", default="1", help="how many machines: 1")
    parser.add_argument("--nproc_per_node", default="1", help="how many processes: 1")
    parser.add_argument(
        "--devices", "--gpus", "--npus", "--xpus", default="", help="the one device, by number"
    )
    parser.add_argument("--ips", default="", help="the machines: this one")
    parser.add_argument("training_script", help="the script")
    parser.add_argument("training_script_args", nargs=argparse.REMAINDER, help="its arguments")
    return parser


def _check(parser: argparse.ArgumentParser, chosen: argparse.Namespace) -> None:
    """Ends the program when several processes are asked for."""
    several = {
        "--nnodes": chosen.nnodes.partition(":")[0] not in ("0", "1"),
        "--nproc_per_node": chosen.nproc_per_node != "1",
        "--devices": "," in chosen.devices,
        "--ips": "," in chosen.ips,
    }
    for option, is_several in several.items():
        if is_several:
            parser.error(
                f"{option} asks for more than one process: in JAX one drives all devices, and "
                "calls between processes are not there yet; ask for one, or leave it out"
            )
