"""The process that the launcher starts: ``...launch.rank FOLDER script.py [arguments]``.

It connects to the other ranks before the script runs, since JAX needs them before it creates its
first array, and scripts create tensors before ``init_parallel_env``. FOLDER is the one of the
option ``--profile``, or empty.
"""

import contextlib
import sys

from jaxeager.compat import install
from jaxeager.debug.hangs import listener
from jaxeager.distributed.communication import world
from jaxeager.distributed.launch.profiles import profiled
from jaxeager.distributed.launch.ranks import die_with_parent
from jaxeager.launcher.launch import run_file


def main() -> None:
    """Run the script of the command line as a rank."""
    die_with_parent()
    listener.start()
    install()  # the script imports paddle
    try:
        world.connect()
        folder, script, *arguments = sys.argv[1:]
        with profiled(folder) if folder else contextlib.nullcontext():
            run_file(script, arguments)
    except SystemExit as ended:
        if ended.code not in (None, 0):
            world.leave(ended.code if isinstance(ended.code, int) else _exit_code(ended.code))
        raise
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)  # ends the process, once connected
        world.leave(130 if isinstance(error, KeyboardInterrupt) else 1)


def _exit_code(text: object) -> int:
    print(text, file=sys.stderr)
    return 1


if __name__ == "__main__":
    main()
