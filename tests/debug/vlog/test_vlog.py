"""Levels, modules and guards of the verbose log."""

import re
import threading
import warnings

import pytest

import jaxeager as paddle
from jaxeager.base import core
from jaxeager.base.framework import vlog_guard
from jaxeager.debug.common import naming
from jaxeager.debug.vlog import modules as known_modules
from jaxeager.debug.vlog import vlog
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.graph import events
from tests.debug.vlog_lines import modules_of, run_python


@pytest.fixture(autouse=True)
def quiet():
    """Restore the levels after every test."""
    before = vlog._process
    yield
    vlog._process = before
    vlog._moved()
    assert not vlog._guards


@pytest.fixture
def modules(capsys):
    """Return a function that runs an add and returns the modules that wrote."""

    def run() -> set[str]:
        x = paddle.ones([2])
        capsys.readouterr()
        x + x
        return modules_of(capsys.readouterr().err)

    return run


# ---- off


def test_nothing_listens_while_no_level_is_on():
    assert not vlog._active
    with vlog_guard(0):
        assert not vlog._active
    with vlog_guard(3):
        assert events.call_began is not None
        assert naming.is_in_use()
    assert not vlog._active
    assert events.call_began is None


def test_the_logs_go_on_and_off_in_one_change_each(monkeypatch):
    counts = []
    monkeypatch.setattr(events, "_changed", [lambda: counts.append(len(events._observers))])
    before = len(events._observers)
    with vlog_guard(3):
        during = len(events._observers)
    assert counts == [during, before]
    assert during >= before + 3


def test_importing_the_package_does_not_import_the_logs():
    code = "import sys, jaxeager; print([m for m in sys.modules if 'vlog' in m], file=sys.stderr)"
    assert run_python(code).strip() == "[]"


# ---- guards


def test_a_guard_of_a_number_is_for_all_modules(modules):
    assert modules() == set()
    with vlog_guard(3):
        assert modules() == {"dygraph_functions"}
    with vlog_guard(4):
        assert modules() == {"dygraph_functions", "api"}
    assert modules() == set()


def test_a_guard_of_a_dict_is_for_its_modules(modules):
    with vlog_guard({"api": 4}):
        assert modules() == {"api"}
    with vlog_guard({"dygraph*": 3, "nodes": 9}):
        assert modules() == {"dygraph_functions"}
    with vlog_guard({"*": 3}):
        assert modules() == {"dygraph_functions"}


def test_a_guard_restores_what_was_before(modules):
    core.set_vlog_level(3)
    with vlog_guard(4):
        with vlog_guard({"dygraph_functions": 0}):
            assert modules() == {"api"}
        assert modules() == {"dygraph_functions", "api"}
        with vlog_guard(0):
            assert modules() == set()
        assert modules() == {"dygraph_functions", "api"}
    assert modules() == {"dygraph_functions"}


def test_a_dict_guard_works_after_a_warm_up(modules):
    for _ in range(2):
        assert modules() == set()
        with vlog_guard({"dygraph_functions": 4}):
            assert modules() == {"dygraph_functions"}


def test_no_module_is_pinned_at_0(modules):
    with vlog_guard({"dygraph_functions": 4}):
        pass
    with vlog_guard(3):
        assert modules() == {"dygraph_functions"}
    core.set_vlog_level({"dygraph_functions": 4})
    core.set_vlog_level({"dygraph_functions": 0, "*": 0})
    core.set_vlog_level(3)
    assert modules() == {"dygraph_functions"}


def test_a_module_that_was_switched_off_speaks_in_a_guard_of_all(modules):
    core.set_vlog_level({"dygraph_functions": 4})
    core.set_vlog_level({"dygraph_functions": 0})
    with vlog_guard(3):
        assert modules() == {"dygraph_functions"}
    core.set_vlog_level({"dygraph*": 4})
    core.set_vlog_level({"dygraph_functions": 0})  # is an exception to the pattern
    assert modules() == set()


def test_a_dict_guard_before_it_leaves_a_forward_graph_whole(tmp_path):
    with vlog_guard({"dygraph_functions": 4}):
        paddle.ones([2])
    paddle.set_flags({"FLAGS_graph_pictures": ""})
    try:
        with paddle.utils.capture_forward_subgraph_guard(tmp_path / "g"):
            paddle.ones([2]).exp()
    finally:
        paddle.set_flags({"FLAGS_graph_pictures": "svg,png"})
    boxes = re.findall(r"^\t(\w+?)\d+ \[label", (tmp_path / "g").read_text(), re.MULTILINE)
    assert boxes == ["full", "exp"]


def test_a_module_keeps_its_level_until_it_gets_another(modules):
    core.set_vlog_level({"dygraph_functions": 3})
    core.set_vlog_level(0)
    assert modules() == {"dygraph_functions"}
    core.set_vlog_level({"*": 0})
    assert modules() == {"dygraph_functions"}
    core.set_vlog_level({"dygraph_functions": 0})
    assert modules() == set()


def test_a_module_that_is_silenced_stays_silent_in_a_guard_of_all(modules):
    with vlog_guard({"dygraph_functions": 0}), vlog_guard(4):
        assert modules() == {"api"}


def test_the_module_itself_beats_a_pattern():
    with vlog_guard({"nodes": 4, "no*": 3, "n*": 5, "*": 1}):
        assert vlog.level_of("nodes") == 4
        assert vlog.level_of("backward") == 1
    with vlog_guard({"dygraph*": 3}), vlog_guard({"dygraph_f*": 5}):
        assert vlog.level_of("dygraph_functions") == 5


def test_an_exception_leaves_a_guard_well(modules):
    with pytest.raises(KeyError), vlog_guard({"api": 4}), vlog_guard(5):
        raise KeyError
    assert modules() == set()
    assert vlog.level_of("api") == 0


def test_guards_may_be_left_in_another_order():
    first, second = vlog_guard(3), vlog_guard(3)
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert vlog.level_of("api") == 3
    second.__exit__(None, None, None)
    assert vlog.level_of("api") == 0


def test_guards_are_decorators_that_work_every_time(capsys):
    @vlog_guard(3)
    def decorated():
        return paddle.ones([1])

    for _ in range(2):
        decorated()
        assert "Running_AD_API: full" in capsys.readouterr().err
    paddle.ones([1])
    assert "Running" not in capsys.readouterr().err


def test_a_guard_is_for_its_thread_and_set_vlog_level_for_all(capsys):
    def other():
        paddle.ones([3])

    def run_other():
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        return capsys.readouterr().err

    with vlog_guard(3):
        assert "full" not in run_other()
    core.set_vlog_level(3)
    assert "Running_AD_API: full" in run_other()


def test_a_level_set_inside_a_guard_ends_with_it():
    with vlog_guard(4):
        core.set_vlog_level({"api": 2})
        assert vlog.level_of("api") == 2
        core.set_vlog_level(5)
        assert vlog.level_of("nodes") == 5
        assert vlog.level_of("api") == 2
    assert vlog.level_of("nodes") == vlog.level_of("api") == 0


def test_override_and_hold():
    with vlog.hold():
        assert vlog._active
        with vlog.override(6):
            assert vlog.is_on("nodes", 6)
        assert not vlog.is_on("nodes", 1)
        assert vlog._active
    assert not vlog._active


@pytest.mark.parametrize("level", ["3", 3.5, None, [3], ("a", 1)])
def test_a_level_that_is_no_int_and_no_dict_is_refused(level):
    with pytest.raises(TypeError, match="must be int or dict but got"):
        vlog_guard(level)
    with pytest.raises(ValueError, match="must be int or dict!"):
        core.set_vlog_level(level)


@pytest.mark.parametrize("level", [{"a": "b"}, {"api": 1.5}, {1: 2}])
def test_an_invalid_dict_of_levels_is_refused_and_changes_nothing(level):
    with pytest.raises(InvalidTypeError, match="dict of str to int"):
        vlog_guard({"api": 4} | level)
    with pytest.raises(InvalidTypeError):
        core.set_vlog_level({"api": 4} | level)
    assert vlog.level_of("api") == 0
    assert issubclass(InvalidArgumentError, ValueError)


@pytest.mark.parametrize("level", [True, {}, -1, 100])
def test_odd_levels_are_accepted(level):
    with vlog_guard(level):
        paddle.ones([1])
    core.set_vlog_level(level)
    core.set_vlog_level(0)


def test_the_guards_have_the_names_that_paddle_gives_them():
    assert paddle.base.framework.vlog_guard is paddle.utils.vlog_guard is vlog_guard
    assert paddle.base.core.set_vlog_level is paddle.utils.set_vlog_level
    assert paddle.base.framework.backward_vlog_guard is paddle.utils.backward_vlog_guard


# ---- unknown names, and the environment


def test_unknown_modules_are_warned_of_once():
    known_modules._warned.clear()
    with pytest.warns(UserWarning, match="'dygraph_function'.* Did you mean dygraph_functions"):
        vlog_guard({"dygraph_function": 3})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vlog_guard({"dygraph_function": 3})
        vlog_guard({"tracer": 3, "dygraph*": 3})


def test_a_malformed_entry_costs_no_other():
    text = "dygraph_functions=4,nodes4,backward=3,api,=3, api = x ,nodes= 5 ,"
    known_modules._warned.clear()
    with pytest.warns(UserWarning, match="is ignored: entries are written module=level") as found:
        change = known_modules.parse_levels(text)
    assert change == {"dygraph_functions": 4, "backward": 3, "nodes": 5}
    assert [re.findall("'(.*?)'", str(each.message))[0] for each in found] == [
        "nodes4", "api", "=3", "api = x",
    ]  # fmt: skip


ADD = "import jaxeager as paddle; x = paddle.ones([2]); print('@', file=__import__('sys').stderr); "


def test_glog_v_comes_from_the_environment_and_a_guard_gives_it_back():
    code = ADD + "g = paddle.utils.vlog_guard(0)\nwith g: x.exp()\nx.abs()"
    log = run_python(code, GLOG_v="3").partition("@")[2]
    assert "Running_AD_API: abs" in log
    assert "exp" not in log


def test_a_long_glog_vmodule_does_not_crash():
    text = "dygraph_functions=3,nodes4,api=4,no_such_module=3,backward=9"
    log = run_python(ADD + "x + x", GLOG_v="high", GLOG_vmodule=text)
    assert modules_of(log) == {"dygraph_functions", "api"}
    assert "GLOG_v of the environment is ignored" in log
    assert "The entry 'nodes4' of GLOG_vmodule is ignored" in log
    assert "No verbose log has a module named 'no_such_module'" in log


def test_a_module_level_beats_glog_v():
    log = run_python(ADD + "x + x", GLOG_v="4", GLOG_vmodule="dygraph*=0")
    assert modules_of(log) == {"api"}


@pytest.mark.deep
def test_a_module_level_beats_glog_v_and_wrong_numbers_are_warned_of():
    """The tests above, with one variable at a time."""
    log = run_python(ADD + "x + x", GLOG_v="4", GLOG_vmodule="dygraph*=0")
    assert modules_of(log) == {"api"}
    log = run_python(ADD + "x + x", GLOG_v="high")
    assert "GLOG_v of the environment is ignored" in log
    assert not modules_of(log)


# ---- leaving


def test_a_guard_may_be_left_in_another_thread():
    def held():
        with vlog_guard(3):
            yield

    guard = held()
    next(guard)
    thread = threading.Thread(target=guard.close)
    thread.start()
    thread.join()
    assert vlog.level_of("api") == 0
    assert not vlog._thread.changes
    assert not vlog._active


@pytest.mark.parametrize("enter", [lambda: vlog_guard(3), lambda: vlog.hold()])
def test_an_interrupt_while_the_logs_go_on_leaves_nothing(enter, monkeypatch):
    def interrupted(observer, first=False):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(events, "observe", interrupted)
        patch.setattr(naming, "begin_use", lambda: None)
        patch.setattr(naming, "end_use", lambda: None)
        with pytest.raises(KeyboardInterrupt):
            enter().__enter__()
    assert not any((vlog._active, vlog._holds, vlog._guards, vlog._thread.changes))
    assert vlog.level_of("api") == 0
