"""Flags: set, read, refused as a whole, read from the environment, shown as a table."""

import os
import subprocess
import sys

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import wiring
from jaxeager.core import flags
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, PreconditionNotMetError

SINGULAR = "FLAGS_check_singular"
LEVEL = "FLAGS_check_nan_inf_level"
FILL = "FLAGS_alloc_fill_value"
ROWS = {row.name: row for row in flags.TABLE}


@pytest.fixture(autouse=True)
def _as_they_were():
    """Set every flag back."""
    before = paddle.get_flags(list(ROWS))
    yield
    paddle.set_flags(before)


@pytest.fixture
def tools(monkeypatch):
    """Yield two made-up flags and the tools that they switch, which record their calls."""
    told = []

    class Refuser:
        @staticmethod
        def switch(value):
            if value > 5:
                raise PreconditionNotMetError(f"{value} is too late.")
            told.append(("refuser", value))

        @staticmethod
        def note(value):
            told.append(("noter", value))

    for name, function in (("FLAGS_noter", "note"), ("FLAGS_refuser", "switch")):
        monkeypatch.setitem(flags._rows, name, flags.Flag(name, 0, "made up"))
        monkeypatch.setitem(wiring.SWITCHES, name, f"made_up:{function}")
        monkeypatch.setitem(flags._values, name, 0)
    monkeypatch.setitem(sys.modules, "jaxeager.made_up", Refuser)
    return told


def run_python(program, **environment):
    """Run a program under flags and return (what it printed, its warnings)."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("FLAGS_")}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**kept, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip(), done.stderr


# ---- set_flags and get_flags


def test_set_and_get_with_and_without_prefix():
    paddle.set_flags({"check_singular": False})
    assert paddle.get_flags(SINGULAR) == {SINGULAR: False}
    assert paddle.get_flags(["check_singular"]) == {"check_singular": False}
    assert paddle.get_flags((SINGULAR, LEVEL)) == {SINGULAR: False, LEVEL: 0}
    assert paddle.get_flags([]) == {}


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (True, True), (0, False), (2, True), (1.5, True), (None, False), (np.True_, True),
        ("1", True), ("0", False), ("true", True), ("True", True), ("False", False),
        ("yes", True), ("no", False), (" on ", True), (np.array(0), False),
    ],
)  # fmt: skip
def test_bools_take_what_the_environment_takes(value, found):
    paddle.set_flags({SINGULAR: value})
    assert paddle.get_flags(SINGULAR)[SINGULAR] is found


@pytest.mark.parametrize(("value", "found"), [("3", 3), (2, 2), (True, 1), (np.int64(2), 2)])
def test_ints_take_what_the_environment_takes(value, found):
    paddle.set_flags({FILL: value})
    assert paddle.get_flags(FILL)[FILL] == found
    assert type(paddle.get_flags(FILL)[FILL]) is int


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        (SINGULAR, "maybe", "takes a bool (1, 0, true, false), but received 'maybe'"),
        (SINGULAR, [1], "takes a bool"),
        (SINGULAR, "", "takes a bool"),
        ("FLAGS_check_index", "some", "takes a bool or 'auto', but received 'some'"),
        (LEVEL, "x", "takes an int, but received 'x'"),
        (LEVEL, 2.7, "takes an int, but received 2.7"),
        (LEVEL, None, "takes an int"),
        (LEVEL, 4, "takes a number from 0 to 3, but received 4"),
        (LEVEL, -1, "takes a number from 0 to 3, but received -1"),
        ("FLAGS_alloc_fill_value", 256, "takes a number from -1 to 255, but received 256"),
        ("FLAGS_alloc_fill_value", "-2", "takes a number from -1 to 255, but received '-2'"),
        ("FLAGS_tensor_md5_checksum_precision", -1, "takes a number from 0 on"),
        ("FLAGS_tensor_md5_checksum_output_path", 3, "takes text, but received 3"),
    ],
)
def test_values_of_the_wrong_kind_are_refused(name, value, said):
    before = paddle.get_flags(name)
    with pytest.raises(InvalidArgumentError) as caught:
        paddle.set_flags({name: value})
    assert said in str(caught.value)
    assert paddle.get_flags(name) == before


def test_unknown_names_are_reported_in_paddles_words():
    for call, verb in (
        (lambda name: paddle.set_flags({name: 1}), "set"),
        (paddle.get_flags, "get"),
    ):
        text = f"Flag FLAGS_no_such cannot {verb} its value through this function."
        with pytest.raises(ValueError, match=text):
            call("FLAGS_no_such")
        with pytest.raises(ValueError, match=r"Did you mean FLAGS_check_nan_inf\?"):
            call("FLAGS_check_naninf")
        with pytest.raises(ValueError, match=r"Did you mean FLAGS_check_nan_inf\?"):
            call("FLAGS_CHECK_NAN_INF")
        with pytest.raises(ValueError, match=r"FLAGS_cudnn_deterministic\? That is a flag"):
            call("FLAGS_cudnn_determinstic")
        with pytest.raises(ValueError, match="There is no such flag"):
            call("FLAGS_no_such_flag")  # its prefix is unlike any other
    with pytest.raises(ValueError, match="no_such cannot get its value"):
        paddle.get_flags([SINGULAR, "no_such"])


def test_a_flag_of_paddle_without_effect_is_kept_and_reported_once(monkeypatch):
    monkeypatch.setattr(flags, "_inert_values", {})
    name, size = "FLAGS_cudnn_deterministic", "FLAGS_fraction_of_gpu_memory_to_use"
    assert paddle.get_flags([name, size]) == {name: False, size: 0.92}
    with pytest.warns(UserWarning, match="no effect here. XLA has XLA_FLAGS=--xla_gpu_determin"):
        paddle.set_flags({name: 1, SINGULAR: True})
    paddle.set_flags({name: "yes"})
    with pytest.warns(UserWarning, match="FLAGS_fraction_of_gpu_memory_to_use is a flag of Paddle"):
        paddle.set_flags({size: "0.5"})
    assert paddle.get_flags([name, size]) == {name: True, size: 0.5}
    with pytest.raises(InvalidArgumentError, match="takes a number, but received 'x'"):
        paddle.set_flags({SINGULAR: False, size: "x"})
    assert paddle.get_flags([SINGULAR, size]) == {SINGULAR: True, size: 0.5}
    with pytest.raises(InvalidArgumentError):  # and none is set if another refuses
        paddle.set_flags({name: 0, LEVEL: 9})
    assert paddle.get_flags(name) == {name: True}


def test_wrong_containers_are_type_errors():
    for wrong in ([(SINGULAR, 1)], None, SINGULAR):
        with pytest.raises(TypeError, match="flags in set_flags should be a dict"):
            paddle.set_flags(wrong)  # pyright: ignore[reportArgumentType]
    for wrong in (None, 3, {SINGULAR}):
        with pytest.raises(TypeError, match="get_flags should be a list, tuple or string"):
            paddle.get_flags(wrong)
    with pytest.raises(InvalidTypeError, match="The name of a flag is text"):
        paddle.set_flags({3: 1})


# ---- all or nothing


@pytest.mark.parametrize("wrong", [{"FLAGS_nothing": 1}, {LEVEL: "x"}, {LEVEL: 9}])
def test_all_or_none_are_set(wrong):
    with pytest.raises(InvalidArgumentError):
        paddle.set_flags({SINGULAR: False, **wrong})
    assert paddle.get_flags(SINGULAR) == {SINGULAR: True}


def test_a_tool_that_refuses_sets_the_others_back(tools):
    with pytest.raises(PreconditionNotMetError, match="9 is too late"):
        paddle.set_flags({SINGULAR: False, "FLAGS_noter": 3, "FLAGS_refuser": 9})
    assert paddle.get_flags([SINGULAR, "FLAGS_noter", "FLAGS_refuser"]) == {
        SINGULAR: True, "FLAGS_noter": 0, "FLAGS_refuser": 0,
    }  # fmt: skip
    assert tools == [("noter", 3), ("noter", 0)]


def test_a_tool_that_cannot_go_back_does_not_keep_the_others(tools, monkeypatch):
    def stuck(value):
        tools.append(("noter", value))
        if value == 0:
            raise PreconditionNotMetError("stuck")

    monkeypatch.setattr(sys.modules["jaxeager.made_up"], "note", stuck)
    with pytest.raises(PreconditionNotMetError, match="9 is too late") as caught:
        paddle.set_flags({SINGULAR: False, "FLAGS_noter": 3, "FLAGS_refuser": 9})
    assert paddle.get_flags(SINGULAR) == {SINGULAR: True}
    assert "FLAGS_noter could not be set back to 0" in caught.value.__notes__[0]


def test_a_tool_is_notified_of_changes_only(tools):
    paddle.set_flags({"FLAGS_noter": 0})
    paddle.set_flags({"FLAGS_noter": 2})
    paddle.set_flags({"FLAGS_noter": "2"})
    assert tools == [("noter", 2)]


def test_every_switch_is_there_and_loaded_only_when_used():
    import importlib

    assert wiring.SWITCHES.keys() <= ROWS.keys()
    for switch in wiring.SWITCHES.values():
        module, function = switch.split(":")
        assert callable(getattr(importlib.import_module(f"jaxeager.{module}"), function))
    program = "import sys, jaxeager; print([m for m in sys.modules if 'jaxeager.debug.' in m])"
    assert run_python(program)[0] == "[]"


# ---- the environment


def test_the_environment_sets_a_flag():
    program = "import jaxeager as p; print(p.get_flags(['check_index', 'check_singular']))"
    printed, said = run_python(program, FLAGS_check_index="0", FLAGS_check_singular="false")
    assert printed == "{'check_index': False, 'check_singular': False}"
    assert said == ""


def test_an_unusable_flag_of_the_environment_warns_once():
    printed, said = run_python(
        "import jaxeager as p\nprint(p.get_flags('check_singular'))",
        FLAGS_check_naninf="1",
        FLAGS_check_singular="maybe",
        FLAGS_cudnn_deterministic="1",
        FLAGS_zzz="1",
        FLAGS_alloc_fill_value="300",
        FLAGS_call_stack_level="",
    )
    assert printed == "{'check_singular': True}"
    for text in (
        "FLAGS_check_naninf=1 of the environment is not used. Did you mean FLAGS_check_nan_inf?",
        "FLAGS_check_singular=maybe of the environment is not used. (InvalidArgument) Flag FLAGS_",
        "FLAGS_cudnn_deterministic is a flag of Paddle that has no effect here. XLA has",
        "FLAGS_zzz=1 of the environment is not used. There is no such flag",
        "FLAGS_alloc_fill_value=300 of the environment is not used.",
        "FLAGS_call_stack_level= of the environment is not used.",
    ):
        assert said.count(text) == 1
    assert said.count("<string>:1: UserWarning") == 6  # the line that imports the package


# ---- the table


def test_the_table_as_text_fits_and_shows_every_flag():
    paddle.set_flags({"FLAGS_alloc_fill_value": 17})
    lines = flags.table_text().splitlines()
    assert max(map(len, lines)) < 100
    head = lines[0]
    for row in flags.TABLE:
        (line,) = [each for each in lines if each.split()[0] == row.name]
        assert line[head.index("type") :].split()[0] == row.kind()
        assert line[head.index("default") :].split()[0] == (str(row.default) or "''")
        after = lines[lines.index(line) + 1]
        assert after.startswith("    ")
        assert row.help.startswith(after.strip())
    (line,) = [each for each in lines if each.startswith("FLAGS_alloc_fill_value")]
    assert line.split() == ["FLAGS_alloc_fill_value", "int", "-1", "17"]


def test_a_long_value_loses_its_beginning(monkeypatch):
    path = f"/{'folder/' * 30}file.log"
    monkeypatch.setitem(flags._values, "FLAGS_tensor_md5_checksum_output_path", path)
    lines = flags.table_text().splitlines()
    assert max(map(len, lines)) < 100
    assert any(line.endswith("folder/file.log") and "  ..." in line for line in lines)


def test_rows_are_well_formed():
    assert len(ROWS) == len(flags.TABLE)
    for row in flags.TABLE:
        assert row.name.startswith("FLAGS_")
        assert row.help
        assert row.help[-1] != "."
        assert row.kind() in ("bool", "int", "float", "str")
        assert flags._parse(row, row.default) == row.default
    others = flags._inert_rows()
    assert not set(others) & set(ROWS)
    assert len(others) > 200
    assert all(flags._parse(row, row.default) == row.default for row in others.values())


def test_check_index_can_be_turned_off():
    x = paddle.to_tensor([1.0, 2.0])
    with pytest.raises(IndexError, match="The index 5 is out of bounds"):
        x[[5]]
    paddle.set_flags({"check_index": False})
    assert x[[5]].shape == [1]
