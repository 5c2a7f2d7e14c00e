"""Nested structures and shapes, beyond parity."""

from collections import OrderedDict

import pytest

from jaxeager import ones, utils


def test_structures_keep_their_kinds():
    nest = OrderedDict(b=[1, ()], a=(2, [3]))
    assert utils.flatten(nest) == [2, 3, 1]
    found = utils.map_structure(lambda x: x * 10, nest)
    assert isinstance(found, OrderedDict)
    assert list(found.items()) == [("b", [10, ()]), ("a", (20, [30]))]
    assert utils.copy_mutable_vars(nest) == nest
    assert not utils.hold_mutable_vars(nest)
    assert utils.padding_to_same_structure([1], [1, 2]) == ([1], [1, 2])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: utils.pack_sequence_as([1], 3), TypeError, "must be a sequence"),
        (lambda: utils.assert_same_structure([1], 1), ValueError, "same nested structure"),
        (lambda: utils.convert_to_list([1.5, 2], 2, "k"), ValueError, r"tuple of 2 int.*1\.5"),
        (lambda: utils.convert_to_list(1.5, 2, "k"), ValueError, "must be list or tuple"),
        (lambda: utils.check_shape([1.5]), TypeError, "must be integers"),
        (lambda: utils.strtobool("q"), ValueError, "Invalid truth value 'q'"),
        (
            lambda: utils.cpp_extension.load(name="x"),
            NotImplementedError,
            r"paddle\.utils\.cpp_extension\.load: .*from_jax",
        ),
    ],
)
def test_invalid_arguments_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_parts_are_passed_over():
    utils.assert_same_structure([1, (2,)], [1, 3], skip_if=lambda a, b: isinstance(a, tuple))
    utils.check_shape([ones([1]), 2])
    utils.check_shape(ones([1]))
