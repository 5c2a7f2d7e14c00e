"""Tools for record.py that write a line per call or per tensor: checksums and configurations."""

import sys
from pathlib import Path

_PATH = "FLAGS_tensor_md5_checksum_output_path"
_BINARY = "FLAGS_tensor_md5_checksum_use_binary_format"
APIS = Path(__file__).parent / "api.yaml"


def md5(paddle, program, folder):
    """Checksums of a forward and a backward: of decimals, then of bytes."""
    for name, is_binary in (("text", False), ("binary", True)):
        paddle.set_flags({_PATH: str(folder / f"{name}.log"), _BINARY: is_binary})
        try:
            program(paddle)["loss"].backward()
        finally:
            paddle.set_flags({_PATH: "", _BINARY: False})


def trace_api(paddle, program, folder):
    """Configurations of the API calls of a forward; Paddle's tracer starts once a process."""
    path = str(folder / "api_config.txt")
    if paddle.__name__ == "paddle":
        from paddle.api_tracer import start_api_tracer

        start_api_tracer(str(APIS), path)
        program(paddle)
        sys.stdout.flush()
        return
    paddle.set_flags({"FLAGS_trace_api": f"{APIS},{path}"})
    try:
        program(paddle)
    finally:
        paddle.set_flags({"FLAGS_trace_api": ""})


TOOLS = {"md5": md5, "trace_api": trace_api}
