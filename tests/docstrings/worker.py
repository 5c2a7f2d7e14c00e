"""Runs examples, one after the other, under the named library; harness.py starts it.

A request is `(statements, seed)`. The answer is a list: for each statement its output, ("ok",
text), or its error, ("error", class, text), which is the last.
"""

import contextlib
import importlib
import io
import os
import pickle
import random
import struct
import sys
import tempfile
import warnings


def answer(paddle, np, statements, seed):
    """Return the output of the statements; restore the process state."""
    environment, path = dict(os.environ), list(sys.path)
    names = paddle.utils.unique_name.switch()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        warnings.simplefilter("ignore")
        fresh(paddle, np, seed)
        space = {"__name__": "__main__"}
        try:
            return [*run(statements, space)]
        finally:
            fresh(paddle, np, seed)
            paddle.utils.unique_name.switch(*names)
            os.environ.clear()
            os.environ.update(environment)
            sys.path[:] = path


def fresh(paddle, np, seed):
    """Give the process the settings of a new one, and the seed of all draws."""
    paddle.disable_static()
    paddle.set_grad_enabled(True)
    paddle.set_default_dtype("float32")
    paddle.set_device("cpu")
    paddle.set_printoptions(precision=8, threshold=1000, edgeitems=3, sci_mode=False, linewidth=80)
    SEED[0] = seed
    REAL_SEED[0](seed)
    np.random.seed(0)
    random.seed(0)


SEED, REAL_SEED = [0], [None]


def run(statements, space):
    """Yield the output of each statement, or the error that ends the example."""
    for source in statements:
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(source + "\n", "<example>", "single"), space)
        except (Exception, SystemExit) as error:
            yield "error", type(error).__name__, str(error)[:1000]
            return
        yield "ok", printed.getvalue()


def main():
    """Answer requests until the pipe closes."""
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.path.pop(0)
    if sys.argv[1] == "jaxeager":
        importlib.import_module("jaxeager.compat").install()
    paddle, np = importlib.import_module("paddle"), importlib.import_module("numpy")
    REAL_SEED[0] = paddle.seed
    paddle.seed = lambda seed: REAL_SEED[0](SEED[0])  # so that two runs show which output is random
    send(channel, ("ready", paddle.__version__))
    while header := sys.stdin.buffer.read(8):
        statements, seed = pickle.loads(sys.stdin.buffer.read(struct.unpack("<Q", header)[0]))
        send(channel, ("ok", answer(paddle, np, statements, seed)))


def send(channel, message):
    """Write one message."""
    body = pickle.dumps(message)
    channel.write(struct.pack("<Q", len(body)) + body)
    channel.flush()


if __name__ == "__main__":
    main()
