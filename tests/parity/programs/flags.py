"""set_flags and get_flags: what they take, what they refuse, and in which words."""

from ..probe import attempt
from ..registry import differs, program

NAN, LEVEL, FILL = "FLAGS_check_nan_inf", "FLAGS_check_nan_inf_level", "FLAGS_alloc_fill_value"


def _set(paddle, name, value):
    """Returns what a flag is after it was set, or the error; sets it back."""
    before = paddle.get_flags(name)
    answer = attempt(lambda: paddle.set_flags({name: value}))
    found = paddle.get_flags(name)[name]
    paddle.set_flags(before)
    return answer["error"] if answer else found


@program
def flags_read(paddle, np):
    """One name, a list, a tuple, none."""
    return [
        paddle.get_flags("FLAGS_call_stack_level"),
        paddle.get_flags(["FLAGS_call_stack_level", NAN]),
        paddle.get_flags(("FLAGS_call_stack_level",)),
        paddle.get_flags([]),
    ]


@program
def bool_flags_set(paddle, np):
    """A bool takes any number, and None."""
    return [_set(paddle, NAN, value) for value in (True, False, 1, 0, 2, 1.5, 0.0, None)]


@program
def int_flags_set(paddle, np):
    """An int takes ints and bools; neither fractions nor None."""
    return [type(_set(paddle, FILL, value)).__name__ for value in (2, True, 0, -1)] + [
        _set(paddle, FILL, value) for value in (2, True, 0, -1)
    ]


@program
def every_flag_of_a_tool_can_be_set(paddle, np):
    """The flags of the debug tools, to another value and back."""
    values = {
        "FLAGS_call_stack_level": 3,
        "FLAGS_enable_unique_name": True,
        NAN: True,
        LEVEL: 2,
        "FLAGS_check_cuda_error": True,
        FILL: 7,
        "FLAGS_tensor_md5_checksum_precision": 5,
        "FLAGS_tensor_md5_checksum_use_binary_format": True,
        "FLAGS_use_system_allocator": True,
    }
    return {name: _set(paddle, name, value) for name, value in values.items()}


def _said(call, start):
    answer = attempt(call)
    return [answer["error"], start in answer["text"]]


@program
def flags_that_do_not_exist(paddle, np):
    """A ValueError in Paddle's words."""
    return [
        _said(
            lambda: paddle.get_flags("FLAGS_no_such"),
            "Flag FLAGS_no_such cannot get its value through this function.",
        ),
        _said(
            lambda: paddle.get_flags([NAN, "FLAGS_no_such"]),
            "Flag FLAGS_no_such cannot get its value through this function.",
        ),
        _said(
            lambda: paddle.set_flags({"FLAGS_no_such": 1}),
            "Flag FLAGS_no_such cannot set its value through this function.",
        ),
    ]


@program
def flags_in_the_wrong_container(paddle, np):
    """A TypeError in Paddle's words."""
    return [
        _said(lambda: paddle.set_flags([(NAN, 1)]), "flags in set_flags should be a dict"),
        _said(
            lambda: paddle.get_flags(None), "Flags in get_flags should be a list, tuple or string"
        ),
        _said(lambda: paddle.get_flags(3), "Flags in get_flags should be a list, tuple or string"),
        attempt(lambda: paddle.set_flags({})),
    ]


@differs(
    "Paddle takes text in the environment, but not in set_flags",
    right=[True, False, True, False, 3],
    paddle_gives=["RuntimeError"] * 5,
)
def flags_set_to_text(paddle, np):
    """set_flags takes what the environment takes."""
    words = [_set(paddle, NAN, value) for value in ("1", "0", "true", "no")]
    return [*words, _set(paddle, FILL, "3")]


@differs(
    "Paddle passes on the error of its binding, a RuntimeError; a wrong value is a ValueError",
    right=["ValueError"] * 4,
    paddle_gives=["RuntimeError"] * 4,
)
def flags_set_to_what_is_of_no_use(paddle, np):
    """A fraction or None for an int, a word or a list for a bool."""
    return [
        _set(paddle, FILL, 2.7), _set(paddle, FILL, None), _set(paddle, NAN, "maybe"),
        _set(paddle, NAN, [1]),
    ]  # fmt: skip


@differs(
    "Paddle takes any number for a byte or a level",
    right=["ValueError", "ValueError", "ValueError"],
    paddle_gives=[300, -2, -5],
)
def flags_set_out_of_their_range(paddle, np):
    """A byte is from 0 to 255, -1 is none; a level is one of those there are."""
    return [_set(paddle, FILL, 300), _set(paddle, FILL, -2), _set(paddle, LEVEL, -5)]


@differs(
    "Paddle keeps what stood in front of the wrong name",
    right=["ValueError", False],
    paddle_gives=["ValueError", True],
)
def flags_set_together(paddle, np):
    """All or none are set."""
    answer = attempt(lambda: paddle.set_flags({NAN: True, "FLAGS_no_such": 1}))
    found = paddle.get_flags(NAN)[NAN]
    paddle.set_flags({NAN: False})
    return [answer["error"], found]


@differs(
    "Paddle wants the prefix",
    right={"call_stack_level": 1},
    paddle_gives={"error": "ValueError"},
)
def flags_without_their_prefix(paddle, np):
    """A name may stand without FLAGS_."""
    answer = attempt(lambda: paddle.get_flags("call_stack_level"))
    return {"error": answer["error"]} if "error" in answer else answer


@program
def flags_as_a_mapping(paddle, np):
    """base.core.globals(): read, set, defaults, and names that do not exist."""
    values = paddle.base.core.globals()
    found = {
        "is there": ["FLAGS_check_nan_inf" in values, "FLAGS_no_such" in values],
        "get": [values.get("FLAGS_no_such", 3), values.get("FLAGS_check_nan_inf", 3)],
        "read": attempt(lambda: values["FLAGS_no_such"]),
        "set": attempt(lambda: values.__setitem__("FLAGS_no_such", 1)),
        "without its prefix": attempt(lambda: values["check_nan_inf"]),
        "keys": "FLAGS_check_nan_inf" in list(values.keys()),
        "public": values.is_public("FLAGS_check_nan_inf"),
    }
    values["FLAGS_call_stack_level"] = 2
    found["set to"] = paddle.get_flags("FLAGS_call_stack_level")
    values["FLAGS_call_stack_level"] = 1
    return [found, values.get_default("FLAGS_call_stack_level")]
