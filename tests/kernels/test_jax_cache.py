"""JAX's own cache of compiled programs: this user's alone, or not read."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMPILES = """
import jax
hits = []
jax.monitoring.register_event_listener(lambda name, **_: hits.append(name))
import jaxeager
x = jax.numpy.ones(7).block_until_ready()

def one(x):
    return x * 3 + 1

def other(x):
    return x * 3 + 2

for function in (one, other):
    hits.clear()
    jax.jit(function)(x).block_until_ready()
    print(hits.count("/jax/compilation_cache/cache_hits") > 0)
print(jax.config.jax_compilation_cache_dir)
"""


def run(folder):
    """Return which of two programs were read from the cache, the folder, and the warnings."""
    given = os.environ | {"PYTHONPATH": str(ROOT), "JAXEAGER_COMPILATION_CACHE": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", COMPILES], capture_output=True, text=True, env=given, check=True
    )
    *were_cached, used = done.stdout.split()
    return [each == "True" for each in were_cached], used, done.stderr


def test_an_entry_others_can_write_or_no_plain_file_is_not_read(tmp_path):
    folder = tmp_path / "cache"
    assert run(folder) == ([False, False], str(folder), "")
    assert folder.stat().st_mode & 0o077 == 0
    (one,), (other,) = (list(folder.glob(f"jit_{name}-*-cache")) for name in ("one", "other"))
    assert run(folder)[0] == [True, True]
    one.chmod(0o666)
    other.unlink()
    os.mkfifo(other)
    were_cached, _, said = run(folder)
    assert were_cached == [False, False]
    assert f"{one} has mode 0666: other users can write there" in said
    assert f"{other} is not a plain file" in said


def test_a_folder_that_others_can_write_is_not_used(tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir()
    folder.chmod(0o777)
    _, used, said = run(folder)
    assert used == "None"
    assert f"{folder} has mode 0777: other users can write there" in said
    assert list(folder.iterdir()) == []


@pytest.mark.deep
@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder to another user")
def test_a_folder_of_another_user_is_not_used(tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o755)
    os.chown(folder, 65534, 65534)
    _, used, said = run(folder)
    assert used == "None"
    assert f"{folder} belongs to user 65534, but this process runs as user 0" in said
