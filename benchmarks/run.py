"""Measure jaxeager against raw JAX, Paddle and PyTorch, and print the ratios in one table.

    python benchmarks/run.py                                    everything
    python benchmarks/run.py --only forward,chain               some parts
    python benchmarks/run.py --out benchmarks/results/NAME.md   also as Markdown, JSON and pictures

A full run is added to benchmarks/results/history.jsonl, and the main ratios of this machine's runs
are drawn next to it; --history FILE adds any run to another file.

Paddle and PyTorch run in separate processes, with the Python that JAXEAGER_PADDLE_PYTHON and
JAXEAGER_TORCH_PYTHON name, or this one; a row states when one is not installed.
"""

import argparse
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # processes share a GPU
sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]

from parts import (  # noqa: E402 - after the path
    calls,
    chain,
    forward,
    history,
    imports,
    large_ops,
    lazy,
    lengths,
    machine,
    memory,
    report,
    scale,
    static_functions,
    steps,
    tools,
    versus,
)
from parts.timing import say  # noqa: E402

PARTS = {
    "forward": lambda repeats: forward.measure(repeats),
    "calls": lambda repeats: calls.measure(repeats),
    "chain": lambda repeats: chain.measure(repeats),
    "chain-peers": lambda repeats: versus.measure_chain(repeats),
    "lenet": lambda repeats: versus.measure_lenet(repeats),
    "steps": lambda repeats: steps.measure(max(5, repeats // 2)),
    "first-steps": lambda repeats: steps.measure_first(max(2, repeats // 5)),
    "lazy": lambda repeats: lazy.measure(max(5, repeats // 2)),
    "lazy-calls": lambda repeats: lazy.measure_calls(max(5, repeats // 2)),
    "lazy-starts": lambda repeats: lazy.measure_starts(),
    "lazy-memory": lambda repeats: lazy.measure_memory(),
    "static": lambda repeats: static_functions.measure(max(5, repeats // 2)),
    "static-first": lambda repeats: static_functions.measure_first(max(2, repeats // 5)),
    "lengths": lambda repeats: lengths.measure(max(2, repeats // 5)),
    "large-ops": lambda repeats: large_ops.measure(max(5, repeats // 2)),
    "memory": lambda repeats: memory.measure(),
    "scale": lambda repeats: scale.measure(),
    "tools": lambda repeats: tools.measure(repeats),
    "import": lambda repeats: imports.measure(max(3, repeats // 2)),
    "compilations": lambda repeats: versus.count_compilations(),
}


def main() -> int:
    """Run the requested parts and print the table; a missed target is not an error."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--only", help=f"parts to run, with commas between: {', '.join(PARTS)}")
    parser.add_argument("--repeats", type=int, default=15, help="interleaved repeats a part (15)")
    parser.add_argument(
        "--out",
        type=Path,
        help="where to write the table, .md; .json and .png are written next to it",
    )
    parser.add_argument("--history", type=Path, help="the file of JSON lines that this is added to")
    options = parser.parse_args()
    wanted = options.only.split(",") if options.only else list(PARTS)
    unknown = sorted(set(wanted) - set(PARTS))
    if unknown:
        parser.error(f"no such part: {', '.join(unknown)}; the parts are {', '.join(PARTS)}")
    if options.repeats < 2:
        parser.error("--repeats must be at least 2: medians and quartiles are taken over them")

    described, started, rows = machine.describe(), time.perf_counter(), []
    for number, name in enumerate(wanted, 1):
        say(f"[{number}/{len(wanted)}] {name}")
        rows += PARTS[name](options.repeats)
    described["run time"] = f"{time.perf_counter() - started:.0f} s, {options.repeats} repeats"

    print("\n".join(f"{name}: {value}" for name, value in described.items()))
    print()
    print(report.as_text(rows))
    if options.out:
        written = report.write(rows, described, options.out)
        print("\nWritten: " + ", ".join(map(str, written)))
        if len(written) == 2:
            print("No picture: matplotlib is not installed (pip install 'jaxeager[examples]').")
    if options.history or not options.only:
        kept = history.append(rows, described, options.history or history.FILE)
        print("\nAdded to: " + ", ".join(map(str, kept)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
