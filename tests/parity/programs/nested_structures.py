"""paddle.utils on nested structures and shapes."""

from collections import OrderedDict, namedtuple

from ..probe import error_of
from ..registry import program

Pair = namedtuple("Pair", "a b")
NEST = {"b": [1, (2, 3)], "a": Pair(4, "x"), "c": 5}


@program
def structures_apart_and_together(paddle, np):
    """flatten, map_structure, pack_sequence_as and their like."""
    u = paddle.utils
    packed = u.pack_sequence_as(NEST, list("123456"))
    return [
        u.flatten(NEST), u.flatten(3), u.flatten("ab"), u.flatten(None), u.flatten([None, []]),
        u.flatten(OrderedDict(b=1, a=2)), list(packed), packed["b"], list(packed["a"]),
        type(packed["a"]).__name__, u.map_structure(lambda x, y: x + y, [1, (2,)], [10, (20,)]),
        u.map_structure(lambda x, y: x, [1], [1, 2]), u.map_structure(lambda x, y: x, [1], (1,)),
        [u.is_sequence(x) for x in ([], (), {}, "a", 1, paddle.ones([1]), Pair(1, 2), None)],
        [u.to_sequence(x) for x in (1, [1], (1,), {"b": 1})],
        u.assert_same_structure([1, (2,)], [1, (2,)]),
        u.assert_same_structure([1], (1,), check_types=False),
        error_of(lambda: u.assert_same_structure([1], (1,))),
        error_of(lambda: u.assert_same_structure([1], [1, 2])),
        error_of(lambda: u.assert_same_structure({"a": 1}, {"b": 1})),
        error_of(lambda: u.pack_sequence_as(NEST, [1, 2])),
        u.copy_mutable_vars({"a": [1]}), u.hold_mutable_vars({"a": [1]}),
        list(u.padding_to_same_structure([1], [1, 2])),
    ]  # fmt: skip


@program
def shapes_and_lists(paddle, np):
    """convert_to_list, convert_shape_to_list, check_shape, strtobool."""
    u = paddle.utils
    return [
        u.convert_to_list(2, 3, "k"), u.convert_to_list([1, 2], 2, "k"),
        u.convert_to_list((1, 2), 2, "k", int), error_of(lambda: u.convert_to_list([1], 2, "k")),
        error_of(lambda: u.convert_to_list("a", 2, "k")), u.is_same_shape([1, 2], [1, 2]),
        u.is_same_shape([-1, 2], [1, 2]), u.convert_shape_to_list((1, paddle.to_tensor(2), 3)),
        u.convert_shape_to_list(paddle.to_tensor([1, 2])), u.check_shape([1, 2]),
        error_of(lambda: u.check_shape([1, -2])), u.strtobool("yes"), u.strtobool("0"),
        error_of(lambda: u.strtobool("q")), paddle.utils.download.is_url("http://a"),
        paddle.utils.download.is_url("/a"),
        error_of(lambda: paddle.utils.lazy_import.try_import("no_such_module")),
    ]  # fmt: skip
