"""jaxeager.utils.unique_name: counters, guards, and names taken by parameters."""

import pytest

import jaxeager as paddle
from jaxeager.utils import unique_name

pytestmark = pytest.mark.usefixtures("fresh_names")


def test_each_key_counts_by_itself():
    assert [unique_name.generate(key) for key in ("a", "a", "b", "a.b")] == [
        "a_0",
        "a_1",
        "b_0",
        "a.b_0",
    ]


def test_a_guard_counts_from_0_and_the_outer_count_continues_after_it():
    assert unique_name.generate("a") == "a_0"
    with unique_name.guard():
        assert unique_name.generate("a") == "a_0"
    assert unique_name.generate("a") == "a_1"


def test_guard_goes_back_after_an_error():
    unique_name.generate("a")
    with pytest.raises(KeyError), unique_name.guard():
        raise KeyError
    assert unique_name.generate("a") == "a_1"


@pytest.mark.parametrize("prefix", ["left_", b"left_"])
def test_guard_with_a_prefix(prefix):
    with unique_name.guard(prefix):
        assert unique_name.generate("a") == "left_a_0"
        # The layer's name has the prefix, and the parameter's, derived from it, has it again.
        assert paddle.nn.Linear(1, 1).weight.name == "left_left_linear_0.w_0"


def test_guard_takes_a_generator_that_switch_returned():
    unique_name.generate("a")
    generator, _ = unique_name.switch()
    assert unique_name.generate("a") == "a_0"
    with unique_name.guard(generator):
        assert unique_name.generate("a") == "a_1"


def test_switch_there_and_back():
    unique_name.generate("a")
    before = unique_name.switch()
    assert unique_name.generate("a") == "a_0"
    unique_name.switch(*before)
    assert unique_name.generate("a") == "a_1"


def test_wrong_arguments_are_named():
    with pytest.raises(TypeError, match="key of a unique name must be a str, but received 3"):
        unique_name.generate(3)
    with pytest.raises(TypeError, match="but received 3"), unique_name.guard(3):
        pass


def test_two_parameters_cannot_share_a_name():
    paddle.nn.Linear(1, 1, weight_attr="mine")
    with pytest.raises(ValueError, match="parameter name 'mine' has been used before"):
        paddle.nn.Linear(1, 1, weight_attr="mine")
    with unique_name.guard():
        assert paddle.nn.Linear(1, 1, weight_attr="mine").weight.name == "mine"
