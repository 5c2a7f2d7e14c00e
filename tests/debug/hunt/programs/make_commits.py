"""Make a checkout whose third commit breaks its program: bisect finds it."""

import os
import subprocess

PROGRAM = """import paddle

x = paddle.to_tensor([1.0, 2.0])
scores = x * {factor}
assert float(scores.max()) < 5
"""


def commit(factor, subject):
    """Write the program and commit it."""
    with open("train.py", "w") as file:
        file.write(PROGRAM.format(factor=factor))
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    subprocess.run(["git", "add", "train.py"], check=True)
    subprocess.run(["git", *who, "commit", "-qm", subject], check=True)


os.makedirs("checkout")
os.chdir("checkout")
subprocess.run(["git", "init", "-q"], check=True)
for number, factor in enumerate([1.0, 1.5, 3.0, 3.5], 1):
    commit(factor, f"Factor {number}")
