"""Runs batches of programs under one library; `tests/parity/harness.py` starts and feeds it.

A request is a list of programs, each a list of statements; the answer is `("ok", results)`. The
library's output goes to stderr, and memory is limited, so that no program uses up the machine.

Paddle dies of many programs. With the argument `fork` a child runs them, whose death loses only the
program; another child continues with the next one.
"""

import functools
import os
import pickle
import resource
import select
import signal
import struct
import sys
from pathlib import Path

MEMORY_BYTES = 12 << 30
PROGRAM_LIMIT_S = 12


def send(channel, message):
    """Write one message."""
    body = pickle.dumps(message)
    channel.write(struct.pack("<Q", len(body)) + body)
    channel.flush()


def run_in_children(run, programs):
    """Return the results of programs that a child runs, and the next one if it has died."""
    results = []
    while len(results) < len(programs):
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            os.close(reader)
            with os.fdopen(writer, "wb") as channel:
                for statements in programs[len(results) :]:
                    send(channel, run(statements))
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader, "rb", buffering=0) as channel:
            while (result := receive(channel)) is not None:
                results.append(result)
        os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
        if len(results) < len(programs):
            how = signal.Signals(status & 127).name if status & 127 else f"code {status >> 8}"
            results.append({"values": {}, "error": (-1, ["death"], f"died of {how}")})
    return results


def receive(channel):
    """Return the next message of a child, None if it has ended or sends nothing."""
    header = read(channel, 8)
    body = read(channel, struct.unpack("<Q", header)[0]) if header else None
    return pickle.loads(body) if body else None


def read(channel, count):
    """Return a number of bytes, None if there are no more or none arrive in time."""
    got = b""
    while len(got) < count:
        if not select.select([channel], [], [], PROGRAM_LIMIT_S)[0]:
            return None
        block = os.read(channel.fileno(), count - len(got))
        if not block:
            return None
        got += block
    return got


def main():
    """Answer requests until the pipe closes."""
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.path[0] = str(Path(__file__).resolve().parents[2])
    import importlib

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    library = importlib.import_module(sys.argv[1])
    if hasattr(library, "disable_signal_handler"):
        library.disable_signal_handler()  # Paddle's can hang where its process should die
    from tests.fuzz.execute import execute

    send(channel, ("ready", library.__version__))
    while header := sys.stdin.buffer.read(8):
        programs = pickle.loads(sys.stdin.buffer.read(struct.unpack("<Q", header)[0]))
        run = functools.partial(execute, library)
        if sys.argv[2:] == ["fork"]:
            send(channel, ("ok", run_in_children(run, programs)))
        else:
            send(channel, ("ok", [run(statements) for statements in programs]))


if __name__ == "__main__":
    main()
