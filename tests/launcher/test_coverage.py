"""python -m jaxeager coverage: the Paddle APIs that sources use, and the missing ones."""

import json
import textwrap

import pytest

from jaxeager.__main__ import main
from jaxeager.launcher import coverage, sources
from jaxeager.launcher.coverage import ALL_HERE, SOME_MISSING, UNUSABLE


def apis(text):
    """Return "line api" of every use in a source, with a mark on those that a try guards."""
    found = sources.uses(textwrap.dedent(text))
    return [f"{use.line} {use.api}{' (guarded)' * use.is_guarded}" for use in found]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("import paddle\npaddle.nn.Linear(2, 3).weight", ["2 paddle.nn.Linear"]),
        ("import paddle as pd\npd.add(pd.ones([1]), 2)", ["2 paddle.add", "2 paddle.ones"]),
        ("import paddle.nn.functional as F\nF.relu(x)", ["1 paddle.nn.functional",
         "2 paddle.nn.functional.relu"]),
        ("import paddle.nn\npaddle.nn.ReLU", ["1 paddle.nn", "2 paddle.nn.ReLU"]),
        ("from paddle import nn, amp as a\na.GradScaler", ["1 paddle.nn", "1 paddle.amp",
         "2 paddle.amp.GradScaler"]),
        ("from paddle.nn import ReLU as L\nL()", ["1 paddle.nn.ReLU", "2 paddle.nn.ReLU"]),
        ("from paddle import *\nmatmul(x, y)", ["2 paddle.matmul"]),
        ("from paddle.nn import *\nLinear(1, 2)", ["1 paddle.nn", "2 paddle.nn.Linear"]),
        ("import paddle\nF = paddle.nn.functional\nF.relu", ["2 paddle.nn.functional",
         "3 paddle.nn.functional.relu"]),
        ("import paddle\ngetattr(paddle.nn, 'ReLU')", ["2 paddle.nn.ReLU", "2 paddle.nn"]),
        ("import paddle\nclass A(paddle.nn.Layer): pass", ["2 paddle.nn.Layer"]),
        ("import paddle\n@paddle.no_grad()\ndef f(a: paddle.Tensor = paddle.e) -> paddle.Size: 1",
         ["2 paddle.no_grad", "3 paddle.Size", "3 paddle.e", "3 paddle.Tensor"]),
        ("def f():\n  return nn.ReLU\nfrom paddle import nn", ["2 paddle.nn.ReLU", "3 paddle.nn"]),
        ("import paddle\n(paddle\n .nn\n .ReLU)", ["4 paddle.nn.ReLU"]),
        # not uses of Paddle
        ("import paddlex, numpy.paddle\nfrom . import paddle\npaddle.x", []),
        ("from paddle import nn\ndef f(nn): return nn.x\nlambda nn: nn.y", ["1 paddle.nn"]),
        ("from paddle import nn\nnn = other\nnn.x", ["1 paddle.nn"]),
        ("from paddle import nn\nfor nn in y: nn.x", ["1 paddle.nn"]),
        ("class A:\n  from paddle import nn\nnn.x", ["2 paddle.nn"]),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n  import paddle.zzz", []),
    ],
)  # fmt: skip
def test_names_are_followed(text, wanted):
    assert sorted(apis(text)) == sorted(wanted)


def test_names_guarded_by_a_try_are_marked():
    found = apis("""
        import paddle
        try:
            from paddle import inference
            from paddle import zzz
        except (ImportError, OSError):
            inference = zzz = None
        try:
            paddle.yyy
        except ValueError:
            paddle.xxx
        inference.Config
        getattr(paddle, "www", None)
        """)
    assert found == [
        "4 paddle.inference (guarded)", "5 paddle.zzz (guarded)", "9 paddle.yyy", "11 paddle.xxx",
        "12 paddle.inference.Config", "13 paddle.www (guarded)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("chain", "api", "status"),
    [
        ("paddle.nn.functional.relu.__name__", "paddle.nn.functional.relu", "here"),
        ("paddle.nn.Linear.forward", "paddle.nn.Linear.forward", "here"),
        ("paddle.Tensor.get_map_tensor", "paddle.Tensor.get_map_tensor", "lacking"),
        ("paddle.MmapStorage.x.y", "paddle.MmapStorage", "lacking"),
        ("paddle.fluid.layers.fc", "paddle.fluid", "not in Paddle"),
        ("paddle.float32.name", "paddle.float32", "here"),
        ("paddle.incubate.distributed.fleet.Nothing", "paddle.incubate.distributed.fleet.Nothing",
         "not in Paddle"),
    ],
)  # fmt: skip
def test_a_chain_is_about_an_api(chain, api, status):
    assert coverage.judged(chain) == (api, status)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "models").mkdir()
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "no.py").write_text("import paddle.hidden")
    (tmp_path / "models" / "net.py").write_text(
        "import paddle\npaddle.MmapStorage\npaddle.MmapStorage\npaddle.nn.Liner\npaddle.ones\n"
    )
    (tmp_path / "train.py").write_text("from paddle import MmapStorage\n")
    (tmp_path / "plain.py").write_text("import os\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_text_of_a_report(folder, capsys):
    assert main(["coverage", "."]) == SOME_MISSING == 1
    assert capsys.readouterr().out == textwrap.dedent("""\
        2 of 3 files use Paddle: 3 APIs in 5 places. 1 APIs are here, 1 are lacking, 1 are not in \
        Paddle 3.3.1 either.

        Lacking:
          paddle.MmapStorage  3 uses in 2 files
              Paddle's own memory-mapped storage class, which a jax.Array cannot live in.
              train.py:1
              models/net.py:2,3

        Not in Paddle 3.3.1:
          paddle.nn.Liner  1 use in 1 file
              nearest here: paddle.nn.Linear
              models/net.py:4

        Methods of tensors, layers and other objects cannot be followed in sources.
        """).replace("        Paddle 3.3.1 either", "Paddle 3.3.1 either")


def test_all_lists_what_is_here(folder, capsys):
    main(["coverage", "--all", "models"])
    assert "Here:\n  paddle.ones  1 use in 1 file\n" in capsys.readouterr().out


def test_json(folder, capsys):
    assert main(["coverage", "--json", "train.py", "models/net.py"]) == SOME_MISSING
    found = json.loads(capsys.readouterr().out)
    assert (found["paddle"], found["files"], found["unusable"]) == ("3.3.1", 2, {})
    lacks = found["apis"]["paddle.MmapStorage"]
    assert lacks["places"] == ["train.py:1", "models/net.py:2", "models/net.py:3"]
    assert lacks["status"] == "lacking"
    assert lacks["reason"].startswith("Paddle's own")
    assert found["apis"]["paddle.ones"] == {
        "status": "here", "uses": 1, "unguarded": 1, "places": ["models/net.py:5"]
    }  # fmt: skip


def test_exit_statuses(folder, capsys):
    (folder / "plain.py").write_text(
        "import paddle\ntry:\n    paddle.zzz\nexcept AttributeError:\n    pass\n"
    )
    assert main(["coverage", "plain.py"]) == ALL_HERE == 0
    assert "each in a try that catches its absence" in capsys.readouterr().out
    (folder / "wrong.py").write_text("x = (")
    assert main(["coverage", "wrong.py"]) == UNUSABLE == 2
    assert "wrong.py cannot be read: '(' was never closed" in capsys.readouterr().out
    assert main(["coverage", "none.py"]) == UNUSABLE
    assert capsys.readouterr().err == "coverage: there is no none.py\n"


def test_progress_is_counted(folder, capsys):
    coverage.report(["."], shows_progress=True)
    assert capsys.readouterr().err.endswith("\r3 of 3 files\n")
