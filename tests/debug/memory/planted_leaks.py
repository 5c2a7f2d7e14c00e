"""Functions that each leave an array behind; a comment marks the line that their leak is at."""

import collections
import functools
import logging
import logging.handlers
import threading

import numpy as np

import jaxeager as paddle

x = paddle.ones([100])
x.stop_gradient = False


def loss_of():
    return (x * x).exp().sum()


def data():
    return paddle.ones([100]) * 2


total = 0


def running_total():
    global total
    total = total + loss_of()  # LEAK running_total


class Meter:
    def __init__(self):
        self.sum = 0

    def update(self, value):
        self.sum = self.sum + value  # LEAK meters_sum


meter = Meter()


def meters_sum():
    meter.update(loss_of())


losses = []


def list_of_losses():
    losses.append(loss_of())  # LEAK list_of_losses


kept_hooks = []


def hooks_closure():
    h = x * 2

    def hook(grad):  # LEAK hooks_closure
        return grad * h

    h.register_hook(hook)
    kept_hooks.append(hook)


def leafs_hook():
    h = data()
    x.register_hook(lambda grad: grad * h.sum())  # LEAK leafs_hook


errors = []


def kept_exception():
    try:
        inner()
    except RuntimeError as e:
        errors.append(e)


def inner():
    big = data()  # noqa: F841
    raise RuntimeError("no")  # LEAK kept_exception


@functools.lru_cache(None)  # LEAK cached
def squared(n):
    return data()


n = 0


def cached():
    global n
    n += 1
    squared(n)


by_step = {}


def global_dict():
    by_step[len(by_step)] = data()  # LEAK global_dict


model = paddle.nn.Linear(2, 2)
model.outputs = []


def layers_attribute():
    model.outputs.append(data())  # LEAK layers_attribute


running = []


def generator():
    g = batches()
    next(g)
    running.append(g)


def batches():
    batch = data()
    yield batch.shape  # LEAK generator


class Job:
    def __init__(self):
        self.result = data()  # LEAK bound_method

    def run(self):
        return self.result


queue = []


def bound_method():
    queue.append(Job().run)


stop = threading.Event()


def work():
    mine = data()  # noqa: F841 - LEAK thread
    started.release()
    stop.wait()


started = threading.Semaphore(0)


def thread():
    threading.Thread(target=work, daemon=True).start()
    started.acquire()


def default_argument(seen=[]):  # noqa: B006 - LEAK default_argument
    seen.append(data())


class Registry:
    every = []  # noqa: RUF012


def class_attribute():
    Registry.every.append(data())  # LEAK class_attribute


recent = collections.deque()


def a_deque():
    recent.append(data())  # LEAK a_deque


table = np.empty(10, object)
at = 0


def object_array():
    global at
    table[at] = data()  # LEAK object_array
    at += 1


callbacks = []


def a_partial():
    callbacks.append(functools.partial(print, data()))  # LEAK a_partial


memory = logging.handlers.MemoryHandler(1000, flushLevel=100)
log = logging.getLogger("planted")
log.addHandler(memory)
log.setLevel(logging.INFO)
log.propagate = False


def a_record():
    log.info("loss %s", data())  # LEAK a_record


class Node:
    pass


head = None


def linked_list():
    global head
    node = Node()
    node.value = data()  # LEAK linked_list
    node.next = head
    head = node


def counter():
    best = []

    def note(value):
        best.append(value)  # LEAK closures_list

    return note


note = counter()


def closures_list():
    note(data())


NAMES = [
    "running_total", "meters_sum", "list_of_losses", "hooks_closure", "leafs_hook",
    "kept_exception", "cached", "global_dict", "layers_attribute", "generator", "bound_method",
    "thread", "default_argument", "class_attribute", "a_deque", "object_array", "a_partial",
    "a_record", "linked_list", "closures_list",
]  # fmt: skip

if __name__ == "__main__":
    for each in NAMES:
        found = paddle.debug.leaks(globals()[each], 2)
        first = max(found, key=lambda leak: leak.bytes_per_call).holders[0]
        print(f"{each}|{first.name}|{first.line}|{first.advice}")
