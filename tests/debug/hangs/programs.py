"""Programs that hang or die, for test_recorder.py and test_timeouts.py: python programs.py NAME."""

import ctypes
import os
import signal
import sys
import threading
import time

import jax

import jaxeager as paddle


def native(name, function):
    """Return an op whose kernel calls a function on the host."""

    def call(x):
        return jax.pure_callback(function, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    return paddle.autograd.from_jax(call, name=name)


def fault(a):
    """Read an invalid address."""
    return ctypes.string_at(0)


def slow(a):
    """Take a second."""
    time.sleep(1.0)
    return a


def segv(h):
    """Run a kernel that reads an invalid address."""
    native("lookup", fault)(h)  # the segfault


def term(h):
    """Hang in a hook until the program is ended."""
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGTERM)).start()
    h.register_hook(lambda grad: time.sleep(60))  # the hook
    h.sum().backward()


def kill(h):
    """Kill the program in a second thread's step."""
    thread = threading.Thread(target=lambda: paddle.tanh(h))
    thread.start()
    thread.join()
    os.kill(os.getpid(), signal.SIGKILL)


def error(h):
    """Run an op that refuses its operands."""
    paddle.matmul(h, h)  # the error


def hang(h):
    """Run a kernel that exceeds its time limit."""
    native("lookup", slow)(h)  # the hang
    time.sleep(0.4)


def well(h):
    """Do nothing; end a forked process, which changes nothing."""
    if os.fork() == 0:
        os._exit(3)
    os.wait()
    h.sum().backward()


if __name__ == "__main__":
    x = paddle.ones([2, 3])
    x.stop_gradient = False
    globals()[sys.argv[1]](paddle.tanh(x) * 2)
