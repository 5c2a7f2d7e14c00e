"""PaDiff (padiff 0.2.0), unmodified, between a model here and a PyTorch one.

It is not in an extra: ``pip install padiff torch`` to run this.
"""

import subprocess
import sys

import pytest

PROGRAM = """
import jaxeager.compat; jaxeager.compat.install()
import sys, torch, paddle, numpy as np
from padiff import auto_diff

class Theirs(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(6, 6), torch.nn.Linear(6, 3)
    def forward(self, x):
        return self.second(torch.relu(self.first(x)) + x)

class Ours(paddle.nn.Layer):
    def __init__(self, scale):
        super().__init__()
        self.first, self.second = paddle.nn.Linear(6, 6), paddle.nn.Linear(6, 3)
        self.scale = scale
    def forward(self, x):
        return self.second(paddle.nn.functional.relu(self.first(x)) + x * self.scale)

x = np.random.RandomState(0).rand(4, 6).astype("float32")
given = {"x": paddle.to_tensor(x)}, {"x": torch.as_tensor(x)}
print("found", auto_diff(Ours(float(sys.argv[1])), Theirs(), given, options={"atol": 1e-4}))
"""


@pytest.mark.deep
@pytest.mark.parametrize(("scale", "agree"), [(1.0, "True"), (1.1, "False")])
def test_auto_diff(scale, agree, tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("padiff", exc_type=ImportError)
    command = [sys.executable, "-c", PROGRAM, str(scale)]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert f"found {agree}" in ran.stdout, ran.stderr
