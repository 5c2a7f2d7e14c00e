"""paddle.hub: entry points of a folder's hubconf.py; no code is downloaded."""

import sys

import pytest

import jaxeager as paddle

CONFIGURATION = """
dependencies = {dependencies}
from helper_of_hub import Net

def net(size=2):
    "Makes a net."
    return Net(size, 3)

def _hidden():
    pass

number = 3
"""


@pytest.fixture
def repo(tmp_path):
    (tmp_path / "helper_of_hub.py").write_text("from jaxeager.nn import Linear as Net")
    (tmp_path / "hubconf.py").write_text(CONFIGURATION.format(dependencies="['jax']"))
    yield tmp_path
    sys.modules.pop("helper_of_hub", None)


def test_entry_points(repo):
    before = list(sys.path)
    assert paddle.hub.list(repo, source="local") == ["Net", "net"]
    assert paddle.hub.help(repo, "net", source="local") == "Makes a net."
    assert paddle.hub.load(repo, "net", source="local", size=5).weight.shape == [5, 3]
    assert sys.path == before
    assert "hubconf" not in sys.modules


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda repo: paddle.hub.list(repo), RuntimeError, "downloads no code: get .* github"),
        (lambda repo: paddle.hub.load("a/b", "c", "gitee"), RuntimeError, "a/b from gitee"),
        (lambda repo: paddle.hub.list(repo, "web"), ValueError, 'Unknown source: "web"'),
        (lambda repo: paddle.hub.list(repo / "no", "local"), RuntimeError, "there is no .*hubconf"),
        (lambda repo: paddle.hub.help(repo, "no", "local"), RuntimeError, "find callable no"),
        (lambda repo: paddle.hub.load(repo, "number", "local"), RuntimeError, "callable number"),
        (lambda repo: paddle.hub.load(repo, 3, "local"), ValueError, "a str of function name"),
    ],
)
def test_bad_calls(call, error, message, repo):
    with pytest.raises(error, match=message):
        call(repo)


def test_a_missing_dependency_is_named(repo):
    text = CONFIGURATION.format(dependencies="['jax', 'no_such_package']")
    (repo / "hubconf.py").write_text(text)
    with pytest.raises(RuntimeError, match="Missing dependencies: no_such_package"):
        paddle.hub.load(repo, "net", source="local")
    (repo / "hubconf.py").write_text("import no_such_package")
    with pytest.raises(RuntimeError, match="cannot be imported: No module named 'no_such"):
        paddle.hub.list(repo, source="local")


def test_weights_that_exist_already(tmp_path, monkeypatch):
    paddle.save(paddle.nn.Linear(2, 3).state_dict(), str(tmp_path / "net.pdparams"))
    url = "https://example.com/files/net.pdparams"
    found = paddle.hub.load_state_dict_from_url(url, str(tmp_path), map_location="numpy")
    assert found["weight"].shape == (2, 3)
    other = paddle.hub.load_state_dict_from_url(url, str(tmp_path), file_name="net.pdparams")
    assert isinstance(other["weight"], paddle.Tensor)
    (tmp_path / "hub" / "checkpoints").mkdir(parents=True)
    (tmp_path / "net.pdparams").rename(tmp_path / "hub" / "checkpoints" / "net.pdparams")
    monkeypatch.setenv("PADDLE_HOME", str(tmp_path))
    assert sorted(paddle.hub.load_state_dict_from_url(url)) == ["bias", "weight"]
    with pytest.raises(ValueError, match="map_location is cpu, gpu or numpy"):
        paddle.hub.load_state_dict_from_url(url, map_location="moon")
