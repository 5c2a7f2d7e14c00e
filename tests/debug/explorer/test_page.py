"""The page: self-contained, with data that a script element may hold."""

import json
import re

import pytest

import jaxeager as paddle
from jaxeager.debug import explore, graph_data
from jaxeager.debug.explorer import page
from jaxeager.errors import InvalidArgumentError


@pytest.fixture
def data():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    return graph_data(paddle.tanh(x).sum())


def data_of(text):
    return json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL).group(1))


def test_the_page_makes_no_request(data):
    text = page.page_of(data)
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=[\"']?(https?:)?//", text)
    assert not re.search(r"url\(\s*['\"]?https?:|@import|sourceMappingURL", text)
    assert "{{" not in text.replace(page._asset("vendor/cytoscape.min.js"), "")


def test_the_page_contains_the_data_unchanged(data):
    assert data_of(page.page_of(data)) == data


def test_text_that_would_end_the_script_is_data(data):
    data["title"] = "</script><script>alert(1)</script>{{script}}<!--"
    text = page.page_of(data)
    assert data_of(text)["title"] == data["title"]
    assert text.count("</script>") == page._asset("page.html").count("</script>")


def test_the_page_contains_the_licences_of_its_libraries(data):
    text = page.page_of(data)
    assert "The Cytoscape Consortium" in text
    assert "Chris Pettitt" in text
    assert text.count("Permission is hereby granted") >= 2


def test_explore_makes_folders_and_takes_data(tmp_path, data):
    written = explore(data, tmp_path / "a" / "b.html")
    assert data_of(written.read_text()) == data


def test_a_path_that_cannot_be_written_is_refused(tmp_path, data):
    with pytest.raises(InvalidArgumentError, match="path of explore"):
        explore(data, tmp_path)
