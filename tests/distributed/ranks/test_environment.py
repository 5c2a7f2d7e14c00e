"""The rank of this process, and starting others, as this one does."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import jaxeager as paddle
from jaxeager import distributed as dist

ROOT = Path(__file__).resolve().parents[3]


def test_several_processes_want_to_know_where_to_meet(monkeypatch):
    for name in ("PADDLE_MASTER", "PADDLE_TRAINER_ENDPOINTS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PADDLE_TRAINER_ID", "1")
    monkeypatch.setenv("PADDLE_TRAINERS_NUM", "2")
    assert (dist.get_rank(), dist.get_world_size()) == (1, 2)
    assert (dist.ParallelEnv().rank, dist.ParallelEnv().nranks) == (1, 2)
    with pytest.raises(RuntimeError, match=r"2 processes run this program.*set PADDLE_MASTER"):
        dist.init_parallel_env()
    monkeypatch.setenv("PADDLE_MASTER", "127.0.0.1:1")
    assert paddle.ones([1]).item() == 1
    with pytest.raises(RuntimeError, match="must be called before the first tensor"):
        dist.init_parallel_env()


def test_ranks_within_a_group():
    group = dist.communication.group.Group(-1, 5, [3, 4])
    assert (dist.get_rank(group), dist.get_world_size(group)) == (-1, -1)


def test_spawn_calls_the_function_here():
    seen = []
    context = dist.spawn(lambda *args: seen.append(args) or os.getpid(), ("a", 3), nprocs=1)
    assert seen == [("a", 3)]
    assert context.return_queues == [os.getpid()]
    assert context.join()
    with pytest.raises(KeyError, match="on purpose"):
        dist.spawn({}.__getitem__, ("on purpose",))
    with pytest.raises(ValueError, match=r"nprocs=2 and gpus='0'"):
        dist.spawn(print, nprocs=2, gpus="0")
    with pytest.raises(ValueError, match="nprocs is -1 or at least 1, but received 0"):
        dist.spawn(print, nprocs=0)


def launched(*arguments):
    command = [sys.executable, "-m", "jaxeager.distributed.launch", *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def test_a_script_imports_the_modules_in_its_folder(tmp_path):
    (tmp_path / "neighbour.py").write_text("word = 'found'")
    script = tmp_path / "train.py"
    script.write_text(
        "import sys, neighbour, paddle\n"
        "print(__name__, sys.argv[1:], neighbour.word, paddle.__file__)"
    )
    done = launched("--gpus=0", "--log_dir", tmp_path, script, "--lr", "0.1")
    wanted = "__main__ ['--lr', '0.1'] found"
    assert done.stdout.strip() == f"{wanted} {paddle.__file__}", done.stderr
    command = [sys.executable, "-m", "jaxeager", "-m", "paddle.distributed.launch", script, "--lr"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.stdout.strip() == f"__main__ ['--lr'] found {paddle.__file__}", done.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--nnodes=2:3"], "--nnodes is a number from 1, but received '2:3'"),
        (["--nproc_per_node=none"], "--nproc_per_node is a number from 1"),
        (["--nnodes=2"], "--nnodes needs --master"),
        (["--ips=1.2.3.4,5.6.7.8"], "--ips names several machines"),
        (["--gpus=0", "--nproc_per_node=2"], "needs more devices than --devices=0"),
        (["--nproc_per_node=2"], "there is no script no_such.py"),
    ],
)
def test_the_launcher_refuses(options, message, capsys):
    with pytest.raises(SystemExit) as caught:
        dist.launch([*options, "no_such.py"])
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


def test_waiting_for_a_tensor():
    assert dist.wait(paddle.ones([2])) is None
