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
    """An op whose kernel calls a function on the host."""

    def call(x):
        return jax.pure_callback(function, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    return paddle.autograd.from_jax(call, name=name)


def fault(a):
    """Reads what is not there."""
    return ctypes.string_at(0)


def slow(a):
    """Takes a second."""
    time.sleep(1.0)
    return a


def segv(h):
    """A kernel that reads what is not there."""
    native("lookup", fault)(h)  # the segfault


def term(h):
    """A hook that hangs, until the program is ended."""
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGTERM)).start()
    h.register_hook(lambda grad: time.sleep(60))  # the hook
    h.sum().backward()


def kill(h):
    """The program is killed in a second thread's step."""
    thread = threading.Thread(target=lambda: paddle.tanh(h))
    thread.start()
    thread.join()
    os.kill(os.getpid(), signal.SIGKILL)


def error(h):
    """An op refuses what it is given."""
    paddle.matmul(h, h)  # the error


def hang(h):
    """A kernel takes longer than it may."""
    native("lookup", slow)(h)  # the hang
    time.sleep(0.4)


def well(h):
    """Nothing happens; a forked process ends, which leaves all as it is."""
    if os.fork() == 0:
        os._exit(3)
    os.wait()
    h.sum().backward()


if __name__ == "__main__":
    x = paddle.ones([2, 3])
    x.stop_gradient = False
    globals()[sys.argv[1]](paddle.tanh(x) * 2)
