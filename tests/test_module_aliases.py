"""Modules that are elsewhere, or only list names: jaxeager/module_aliases.py."""

import importlib
import importlib.util
import pickle
import sys
import textwrap
from pathlib import Path
from types import ModuleType

import pytest

import jaxeager as paddle
from jaxeager import module_aliases
from jaxeager.launcher.finder import their_name
from jaxeager.module_aliases import MOVED, NAMES, moved
from tests.support.often import every
from tests.support.processes import printed_by


def attribute(path):
    found = paddle
    for name in path.split("."):
        found = getattr(found, name)
    return found


@pytest.mark.parametrize("alias", NAMES)
def test_a_list_has_its_names_from_the_modules_that_define_them(alias):
    module = importlib.import_module(f"jaxeager.{alias}")
    assert module is attribute(alias)
    assert dir(module) == sorted(module.__all__) != []
    for source, names in NAMES[alias].items():
        for each in names.split():
            name, _, defined = each.partition("=")
            home = importlib.import_module(f"jaxeager.{source}")
            assert getattr(module, name) is getattr(home, defined or name)


@pytest.mark.parametrize("alias", MOVED)
def test_a_moved_module_is_one_object_under_both_names(alias):
    module = importlib.import_module(f"jaxeager.{alias}")
    assert module is attribute(alias)
    assert module is importlib.import_module(f"jaxeager.{MOVED[alias]}")
    assert module.__name__ == module.__spec__.name == f"jaxeager.{MOVED[alias]}"


BELOW_MOVED = [name for name in (*MOVED, *NAMES) if name.partition(".")[0] in MOVED and "." in name]


@pytest.mark.parametrize("alias", every(2, BELOW_MOVED))
def test_a_module_below_a_moved_one_is_one_object_whatever_it_is_imported_from(alias):
    room, _, name = alias.rpartition(".")
    program = f"""
import importlib
from jaxeager.{room} import {name} as one
print(one is importlib.import_module("jaxeager.{alias}"))
print(one is importlib.import_module("jaxeager.legacy.{alias}"))
"""
    assert printed_by(program).split() == ["True", "True"]


def test_no_alias_is_a_file_or_folder():
    package = Path(paddle.__file__).parent
    for alias in (*NAMES, *MOVED):
        path = package.joinpath(*alias.split("."))
        assert not path.with_suffix(".py").exists()
        assert not path.joinpath("__init__.py").exists()


@pytest.mark.parametrize(
    "program",
    [
        "import jaxeager.base.core as one, jaxeager.legacy.base.core as two",
        pytest.param(
            "import jaxeager.legacy.base.core as two, jaxeager.base.core as one",
            marks=pytest.mark.deep,
        ),
        pytest.param(
            "from jaxeager import base; from jaxeager.legacy import base as legacy\n"
            "from jaxeager.base import core as one; two = legacy.core",
            marks=pytest.mark.deep,
        ),
        "import jaxeager.launcher.finder as finder; finder.install(finder.Finder())\n"
        "import paddle.base.core as one, jaxeager.base.core as two",
        pytest.param(
            "import jaxeager.launcher.finder as finder; finder.install(finder.Finder())\n"
            "from jaxeager.legacy.base import core as two; import paddle; one = paddle.base.core",
            marks=pytest.mark.deep,
        ),
    ],
)
def test_a_module_below_a_moved_one_is_loaded_once(program):
    printed = printed_by(f"{program}\nprint(one is two, one.__spec__.name)")
    assert printed == "True jaxeager.legacy.base.core\n"


def test_to_look_for_a_file_imports_nothing():
    """pytest looks for packages in their own folders, so that it asks the finder of inner ones."""
    program = """
        import sys
        import jaxeager.legacy, jaxeager.launcher.known_names
        from jaxeager.module_aliases import InnerFinder
        before = set(sys.modules)
        names = ["jaxeager.legacy._typing", "jaxeager.nn.layer", "jaxeager.audio"]
        print([InnerFinder.find_spec(name, ["another folder"]) for name in names])
        print([name for name in sys.modules.keys() - before if name.startswith("jaxeager")])
    """
    assert printed_by(textwrap.dedent(program)) == "[None, None, None]\n[]\n"


def test_a_star_import_gives_the_names_of_a_list():
    found = {}
    exec("from jaxeager.tensor.stat import *", found)
    assert found["mean"] is paddle.mean
    assert {"cast", "median", "var"} <= found.keys()


def test_a_name_that_a_list_lacks_is_missing():
    with pytest.raises(ImportError, match=r"cannot import name 'nothing' from 'jaxeager\.tensor"):
        exec("from jaxeager.tensor.math import nothing")
    with pytest.raises(AttributeError, match=r"module 'jaxeager\.jit\.api' has no attribute 'no'"):
        attribute("jit.api.no")


def test_a_module_that_a_moved_room_lacks_is_missing():
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'jaxeager\.base\.nothing'"):
        importlib.import_module("jaxeager.base.nothing")
    assert importlib.util.find_spec("jaxeager.base.nothing") is None


def test_the_spec_of_a_moved_module_names_its_file():
    spec = importlib.util.find_spec("jaxeager.dataset.imdb")
    assert Path(spec.origin).parts[-3:] == ("legacy", "dataset", "imdb.py")


@pytest.mark.parametrize(
    ("alias", "real"),
    [
        ("base", "legacy.base"),
        ("base.core.eager", "legacy.base.core.eager"),
        ("base.unique_name", "utils.unique_name"),
        ("basement", "basement"),
        ("nn.base", "nn.base"),
        ("", ""),
    ],
)
def test_the_longest_prefix_that_is_moved_counts(alias, real):
    assert moved(alias) == real


def test_paddle_has_the_moved_rooms_at_its_top():
    for alias, real in MOVED.items():
        if real == f"legacy.{alias}":
            assert their_name(f"jaxeager.{real}") == f"paddle.{alias}"


def test_functions_of_a_moved_room_are_pickled():
    from jaxeager.reader import decorator

    assert pickle.loads(pickle.dumps(decorator.buffered)) is decorator.buffered


def test_installing_twice_is_installing_once():
    module_aliases.install()
    assert sys.meta_path.count(module_aliases.AliasFinder) == 1


def test_a_function_stays_where_a_module_of_its_name_is_imported():
    """As with Paddle: ``import paddle.tensor.einsum`` does not change ``paddle.tensor.einsum``."""
    for full in ("tensor.einsum", "tensor.stat", "tensor.math"):
        module = importlib.import_module(f"jaxeager.{full}")
        assert isinstance(module, ModuleType)
    assert paddle.tensor.einsum is paddle.einsum
    assert importlib.import_module("jaxeager.tensor.einsum").einsum is paddle.einsum
    assert isinstance(paddle.tensor.stat, ModuleType)
    assert paddle.tensor([1.0]).shape == [1]  # it can still be called
