"""Invalid files of profiler results."""

import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError
from jaxeager.profiler.result import _field, read_result

EVENT = (b"name", 0, 1, 2, 3, 4)


def event(*values):
    return b"".join(_field(at, value) for at, value in enumerate(values, 1))


def node(number, parent, of=EVENT):
    return _field(1, number) + _field(2, parent) + _field(3, event(*of))


def tree(*nodes):
    return _field(1, b"1.0") + _field(3, _field(1, 7) + b"".join(_field(2, n) for n in nodes))


@pytest.mark.parametrize(
    "data",
    [
        _field(1, b"1.0") + _field(3, 5),
        _field(1, b"1.0") + _field(2, b"span"),
        tree(3),
        tree(_field(1, 0) + _field(2, 2**64 - 1) + _field(3, 5)),
        tree(node(0, 2**64 - 1, (b"name", 0, b"start", 2, 3, 4))),
        tree(node(0, 2**64 - 1, (5, 0, 1, 2, 3, 4))),
        tree(node(b"0", 2**64 - 1)),
        tree(node(0, b"0")),
    ],
)
def test_a_number_in_the_place_of_a_message_is_refused(tmp_path, data):
    path = tmp_path / "seen.pb"
    path.write_bytes(data)
    with pytest.raises(InvalidArgumentError, match=r"seen\.pb' does not contain a profiler result"):
        paddle.profiler.load_profiler_result(str(path))


def test_no_event_is_below_itself(tmp_path):
    """A walk over the events of a file ends."""
    path = tmp_path / "seen.pb"
    path.write_bytes(tree(node(0, 0), node(1, 2), node(2, 1), node(1, 0)))
    (root,) = read_result(str(path)).get_data().values()
    waiting, count = [root], 0
    while waiting and count < 10:
        waiting += waiting.pop().children_node
        count += 1
    assert count == 2
