"""Changes that a branch or a loop makes to objects other than its variables."""

# ruff: noqa: SIM108

import collections
import functools

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import UnimplementedError

LOG: list = []


class Thing:
    def __init__(self):
        self.items, self.n, self.inner = {}, 1, None

    def put(self, key):
        self.items[key] = 1


class Slots:
    __slots__ = ("n",)


def append_in_a_call(x):
    log = []

    def add(value):
        log.append(value)

    if x.sum() > 0:
        add(1)
    else:
        add(2)
    return x * len(log)


def append_in_a_call_of_a_call(x):
    log = []

    def add(value):
        log.append(value)

    def twice(value):
        add(value)
        add(value)

    if x.sum() > 0:
        twice(1)
    return x * len(log)


def append_in_a_call_of_a_loop(x):
    log, i = [], paddle.zeros([], "int64")

    def add():
        log.append(1)

    while i < x.sum():
        add()
        i = i + 1
    return x * len(log)


def append_to_a_global_in_a_call(x):
    def add():
        LOG.append(1)

    LOG.clear()
    if x.sum() > 0:
        add()
    return x * len(LOG)


def an_item_in_a_method(x):
    thing = Thing()
    if x.sum() > 0:
        thing.put("a")
    else:
        thing.put("b")
    return x * len(thing.items)


def an_attribute_of_an_attribute_in_a_call(x):
    thing = Thing()
    thing.inner = Thing()

    def count():
        thing.inner.n += 1

    if x.sum() > 0:
        count()
    return x * thing.inner.n


def a_slot_in_a_call(x):
    thing = Slots()
    thing.n = 1

    def count():
        thing.n += 1

    if x.sum() > 0:
        count()
    return x * thing.n


def an_attribute_by_name(x):
    thing = Thing()
    if x.sum() > 0:
        setattr(thing, "n", 2)  # noqa: B010
    else:
        setattr(thing, "n", 3)  # noqa: B010
    return x * thing.n


def a_partial(x):
    log = []
    add = functools.partial(log.append, 1)

    def call():
        add()

    if x.sum() > 0:
        call()
    return x * len(log)


def a_deque(x):
    found = collections.deque()
    if x.sum() > 0:
        found.append(1)
    return x * len(found)


def a_deque_in_a_loop(x):
    found, i = collections.deque(), paddle.zeros([], "int64")
    while i < x.sum():
        found.append(1)
        i = i + 1
    return x * len(found)


def an_ordered_dict(x):
    found = collections.OrderedDict()
    if x.sum() > 0:
        found["a"] = 1
    return x * len(found)


def a_counter(x):
    found = collections.Counter()
    if x.sum() > 0:
        found["a"] += 1
    return x * len(found)


def bytes_that_grow(x):
    found = bytearray()
    if x.sum() > 0:
        found.append(1)
    return x * len(found)


def an_array_of_numpy(x):
    found = np.zeros(2)
    if x.sum() > 0:
        found[0] = 1
    return x * float(found.sum())


def an_iterator(x):
    left = iter([1, 2, 3])
    if x.sum() > 0:
        first = next(left)
    else:
        first = next(left)
    return x * first


def a_zip(x):
    left = zip([1, 2, 3], [4, 5, 6], strict=True)
    if x.sum() > 0:
        first = next(left)[1]
    else:
        first = 0
    return x * first


def a_generator(x):
    left = (each for each in [1, 2, 3])
    if x.sum() > 0:
        first = next(left)
    else:
        first = next(left)
    return x * first


def in_a_ternary(x):
    log = []
    log.append(1) if x.sum() > 0 else log.append(2)
    return x * len(log)


def in_an_and(x):
    log = []

    def seen(value):
        log.append(1)
        return value

    if (x.sum() > 0) and seen(x.max() > 1):
        x = x + 1
    return x * len(log)


REFUSED = [
    *(append_in_a_call, append_in_a_call_of_a_call, append_in_a_call_of_a_loop),
    *(append_to_a_global_in_a_call, an_item_in_a_method, an_attribute_of_an_attribute_in_a_call),
    *(a_slot_in_a_call, an_attribute_by_name, a_partial, a_deque, a_deque_in_a_loop),
    *(an_ordered_dict, a_counter, bytes_that_grow, an_array_of_numpy, an_iterator, a_zip),
    *(a_generator, in_a_ternary, in_an_and),
]


@pytest.mark.parametrize("function", REFUSED)
def test_a_change_that_is_no_variable_is_refused(function):
    marked = paddle.jit.to_static(function, full_graph=True)
    with pytest.raises(UnimplementedError, match=r"on a tensor at .* changes .*, which a program"):
        marked(paddle.to_tensor([1.0, 2.0]))


def test_the_message_names_what_was_changed():
    marked = paddle.jit.to_static(an_attribute_of_an_attribute_in_a_call, full_graph=True)
    with pytest.raises(UnimplementedError, match=r"changes thing\.inner\.n, which"):
        marked(paddle.to_tensor([1.0, 2.0]))


# ---- parts of a program


def a_list_in_a_list(x):
    found = [[0]]
    if x.sum() > 0:
        found[0].append(1)
    else:
        found[0].append(2)
    return x * len(found[0]) + found[0][1]


def a_list_in_a_dict_stays_itself(x):
    inner = [1]
    outer = {"a": inner}
    if x.sum() > 0:
        inner[0] = 2
    else:
        outer["a"][0] = 3
    return x * outer["a"][0] + inner[0] * 10


def a_list_of_an_object_of_an_object(x):
    thing = Thing()
    thing.inner = Thing()
    thing.inner.items = []
    if x.sum() > 0:
        thing.inner.items.append(1)
    else:
        thing.inner.items.append(2)
    return x * thing.inner.items[0]


def what_is_new_in_a_branch(x):
    if x.sum() > 0:
        found = collections.deque([1])
        found.append(2)
        y = x * len(found)
    else:
        y = x
    return y


def what_is_only_read(x):
    weights = collections.OrderedDict(a=2.0, b=3.0)
    thing = Thing()

    def weight(key):
        return weights[key] * thing.n

    if x.sum() > 0:
        y = x * weight("a")
    else:
        y = x * weight("b")
    return y


def a_bound_that_is_written(x):
    n = (x.sum() * 0 + 3).astype("int64")
    for i in range(n):
        if i < 2:
            n.add_(paddle.to_tensor(1))
        x = x + 1
    return x


def one_element_of_both(x):
    return (x.sum() > 0).reshape([1]) and (x.max() > 1).reshape([1])


RIGHT = [
    *(a_list_in_a_list, a_list_in_a_dict_stays_itself, a_list_of_an_object_of_an_object),
    *(what_is_new_in_a_branch, what_is_only_read, a_bound_that_is_written, one_element_of_both),
]


@pytest.mark.parametrize("function", RIGHT)
@pytest.mark.parametrize("numbers", [[1.0, 2.0], [-1.0, -2.0], [0.25, 0.5]])
def test_the_numbers_are_those_of_the_ops_one_by_one(function, numbers):
    marked = paddle.jit.to_static(function, full_graph=True)
    marked(paddle.to_tensor([3.0, -1.0]))
    expected, found = (f(paddle.to_tensor(numbers)) for f in (function, marked))
    np.testing.assert_array_equal(found.numpy(), expected.numpy())
    assert found.shape == expected.shape


def test_a_number_of_more_than_64_bits_has_no_tensor():
    def huge(x):
        n = 2**70 if x.sum() > 0 else 1
        return x * float(n)

    marked = paddle.jit.to_static(huge, full_graph=True)
    with pytest.raises(UnimplementedError, match="is 1180591620717411303424 or 1 after the `if`"):
        marked(paddle.ones([1]))


def test_an_or_names_the_users_line():
    def either(x):
        return (x.sum() > 0) or 3

    marked = paddle.jit.to_static(either, full_graph=True)
    with pytest.raises(UnimplementedError, match=r"on a tensor at .*test_reach\.py:\d+"):
        marked(paddle.ones([1]))
