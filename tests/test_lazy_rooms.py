"""Rooms that are imported on first use: they behave like the others."""

import re
from pathlib import Path

import pytest

import jaxeager as paddle
from tests.support.processes import printed_by

ROOT = Path(__file__).resolve().parent.parent


FRESH = """
import gc, io, random, signal
frozen = gc.get_freeze_count()
import jaxeager
young = len(gc.get_objects(generation=0)) + len(gc.get_objects(generation=1))
print(frozen, young < 5000, gc.get_freeze_count() == frozen)
print(*(name for name in dir(jaxeager) if name[0] != "_"))
from jaxeager import *
print(autocast.__name__, grad.__name__, Model.__name__, type(random.random()).__name__)
print(io.StringIO().getvalue() == "", signal.SIGINT.name, "nn" in globals())
"""


@pytest.fixture(scope="module")
def fresh():
    """Return what a new process finds after an import: of garbage, names, and a star import."""
    garbage, names, *star = printed_by(FRESH).splitlines()
    return garbage.split(), set(names.split()), star


def test_a_star_import_gives_functions_and_leaves_the_modules_of_python(fresh):
    _, _, star = fresh
    assert star == ["autocast grad Model float", "True SIGINT False"]


@pytest.mark.parametrize("name", sorted(paddle.LAZY_NAMES))
def test_a_lazy_name_is_what_its_room_has(name):
    assert getattr(paddle, name) is getattr(getattr(paddle, paddle.LAZY_NAMES[name]), name)
    assert name in dir(paddle)


OWN = """
    Parameter TPUPlace debug errors inference_mode interop is_inference_mode_enabled lazy
    lazy_report tape_to_jaxpr
    add_ ceil_ clamp_ clip_ erfinv_ exp_ exponential_ fill_ floor_ lerp_ mul_ reciprocal_ round_
    rsqrt_ scale_ sigmoid_ sign_ sqrt_ uniform_ zero_
""".split()


def test_dir_lists_names_of_paddle_and_few_others(fresh):
    """The functions that end with _ are Tensor's methods in Paddle."""
    names = (ROOT / "jaxeager/launcher/paddle_modules.txt").read_text()
    (line,) = (each for each in names.splitlines() if each.startswith("paddle: "))
    theirs = set(re.findall(r"\w+", line))
    _, found, _ = fresh  # of a new process: modules are attributes
    assert found - theirs == set(OWN)


def test_a_flag_of_a_lazy_room_is_read_at_import():
    code = """
import os
os.environ["FLAGS_low_precision_op_list"] = "1"
import jaxeager as paddle
y = paddle.ones([2]) * paddle.ones([2])
print("elementwise_mul" in paddle.base.core.get_low_precision_op_list())
"""
    assert printed_by(code) == "True\n"


def test_the_garbage_collector_takes_what_was_imported_for_old(fresh):
    """Its next collection of young objects does not walk tens of thousands of them."""
    (frozen, is_young_small, is_left), _, _ = fresh
    if frozen != "0":
        pytest.skip("this Python freezes objects of its own")
    assert (is_young_small, is_left) == ("True", "True")
