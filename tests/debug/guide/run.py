"""Runs the programs of this folder, each in a process, as the reader of Paddle's guide does.

    python run.py LIBRARY FOLDER [CASE ...]

FOLDER/<case> is the working directory of a case's program; there are its files afterwards, with
what it wrote to stdout and stderr, and its exit status.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

HERE = Path(__file__).parent
LIMIT_S = 120


class Case(NamedTuple):
    """A program, and how it is run.

    Attributes:
        program: a file of the folder programs.
        environment: variables that are set for it.
        files: files that it finds in its working directory.
        not_on_paddle: why real Paddle is not asked; "" if it is.
    """

    program: str
    environment: Mapping[str, str] = MappingProxyType({})
    files: Mapping[str, str] = MappingProxyType({})
    not_on_paddle: str = ""


_NAMES = {"FLAGS_enable_unique_name": "True", "FLAGS_call_stack_level": "3"}
# The guide writes nodes4 without "=".
_MODULES = (
    "dygraph_functions=4,nodes4,tracer=3,backward=3,sync_batch_norm_node=4,"
    "run_program_op_func=4,run_program_op_node=4,utils=6"
)
# By the section of the guide, and what it is about.
CASES = {
    "1.1 level 1": Case("version"),
    "1.1 level 2": Case("version", {"FLAGS_call_stack_level": "2"}),
    "1.1 level 3": Case("version", {"FLAGS_call_stack_level": "3"}),
    "1.2.1 log": Case("promotion", {"GLOG_v": "6"}),
    "1.2.2.1 modules": Case(
        "promotion", {"GLOG_vmodule": _MODULES}, not_on_paddle="it hangs at its end"
    ),
    "1.2.2.2 guards": Case("guards"),
    "1.2.2.2 modules": Case("modules"),
    "1.3.1 forward graph": Case("forward_graph"),
    "1.3.2 backward graph": Case("backward_graph", _NAMES),
    "1.3.3 subgraph": Case("subgraph", _NAMES),
    "1.3.4 Netron": Case("saved"),
    "1.4 all of it": Case(
        "joint",
        {
            **_NAMES,
            "GLOG_v": "6",
            "FLAGS_dump_grad_node_forward_stack_path": "./debug_info/nodes.txt",
            "FLAGS_dump_api_python_stack_path": "./debug_info/apis.txt",
        },
        {"debug_info/empty": ""},
    ),
    "1.5 device errors": Case(
        "out_of_range", {"FLAGS_check_cuda_error": "1"}, not_on_paddle="only on a GPU"
    ),
    "1.6 NaN": Case("not_a_number", {"FLAGS_check_nan_inf": "1"}),
    "1.7 memory that is not written": Case(
        "never_written", {"FLAGS_alloc_fill_value": "255"}, not_on_paddle="only on a GPU"
    ),
    "2.1 core dump": Case("segfault", not_on_paddle="its handler may wait for a lock"),
    "2.3 PyLayers": Case("layers_in_layers", {"FLAGS_call_stack_level": "3"}),
    "2.4 memory": Case(
        "memory", {"FLAGS_enable_gpu_memory_usage_log": "1"}, not_on_paddle="only on a GPU"
    ),
    "2.5.3 cProfile": Case("profiled"),
    "2.6.2 hooks": Case("hooks"),
    "2.6.3 configurations": Case(
        "traced",
        {"FLAGS_trace_api": "api.yaml,api_config.txt"},
        {"api.yaml": "apis:\n - paddle.concat\n - paddle.tanh\n"},
    ),
    "2.6.5 checksums": Case(
        "checksums",
        {
            "FLAGS_tensor_md5_checksum_output_path": "./md5.log",
            "FLAGS_tensor_md5_checksum_precision": "5",
        },
    ),
    "2.6.5 checksums of bits": Case(
        "checksums",
        {
            "FLAGS_tensor_md5_checksum_output_path": "./md5.log",
            "FLAGS_tensor_md5_checksum_use_binary_input": "1",
        },
    ),
    "2.8.1 to_static": Case("static"),
}


def run(library: str, name: str, folder: Path) -> None:
    """Run one case in a folder below ``folder``."""
    case, place = CASES[name], folder / name
    for file, text in {"stdout": "", **case.files}.items():
        (place / file).parent.mkdir(parents=True, exist_ok=True)
        (place / file).write_text(text)
    start = ["-m", "jaxeager"] if library == "jaxeager" else []
    done = subprocess.run(
        [sys.executable, *start, str(HERE / "programs" / f"{case.program}.py")],
        cwd=place,
        env={**os.environ, **case.environment},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )
    (place / "stdout").write_text(done.stdout)
    (place / "stderr").write_text(done.stderr)
    (place / "status").write_text(str(done.returncode))


if __name__ == "__main__":
    chosen = sys.argv[3:] or [name for name, case in CASES.items() if not case.not_on_paddle]
    for each in chosen:
        run(sys.argv[1], each, Path(sys.argv[2]))
