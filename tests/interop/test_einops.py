"""einops knows tensors after ``import jaxeager``, in either order of imports."""

import subprocess
import sys

import pytest

import jaxeager as paddle

BACKENDS = """
class AbstractBackend:
    pass


class PaddleBackend(AbstractBackend):
    framework_name = "paddle"

    def is_appropriate_type(self, tensor):
        return self.paddle.is_tensor(tensor)
"""
PROGRAM = """
from einops import _backends
import sys

(backend,) = [each for each in _backends.PaddleBackend.__subclasses__()]
is_ours = backend().is_appropriate_type(jaxeager.ones([2]))
print(backend.framework_name, is_ours, "paddle" in sys.modules)
print(_backends.__spec__.name, _backends.__file__.endswith("_backends.py"))
"""


@pytest.mark.parametrize(
    "order",
    [
        "einops._backends, jaxeager",
        pytest.param("jaxeager, einops._backends", marks=pytest.mark.deep),
    ],
)
def test_a_backend_is_added(tmp_path, order):
    (tmp_path / "einops").mkdir()
    (tmp_path / "einops" / "__init__.py").write_text("")
    (tmp_path / "einops" / "_backends.py").write_text(BACKENDS)
    (tmp_path / "program.py").write_text(f"import {order}\n{PROGRAM}")
    done = subprocess.run(
        [sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines() == ["jaxeager True False", "einops._backends True"], done.stderr


def test_another_einops_is_left_as_it_is(tmp_path):
    (tmp_path / "einops").mkdir()
    (tmp_path / "einops" / "__init__.py").write_text("")
    (tmp_path / "einops" / "_backends.py").write_text("x = 1\n")
    text = "import jaxeager, einops._backends as b; print(b.x, hasattr(b, 'JaxeagerBackend'))"
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["1", "False"]


def test_functions_of_einops():
    einops = pytest.importorskip("einops", reason="this needs pip install 'jaxeager[interop]'")
    x = paddle.arange(24, dtype="float32").reshape([2, 3, 4])
    x.stop_gradient = False
    flat = einops.rearrange(x, "a b c -> (a b) c")
    assert flat.shape == [6, 4]
    flat.sum().backward()
    assert x.grad.shape == [2, 3, 4]
    assert einops.reduce(x, "a b c -> a", "mean").tolist() == [5.5, 17.5]
    assert einops.reduce(x, "a b c ->", "sum").item() == 276.0
    assert einops.repeat(x, "a b c -> a b c d", d=2).shape == [2, 3, 4, 2]
    assert einops.einsum(x, x, "a b c, a d c -> a b d").shape == [2, 3, 3]
    packed, shapes = einops.pack([x, x], "* c")
    assert [each.shape for each in einops.unpack(packed, shapes, "* c")] == [[2, 3, 4]] * 2
