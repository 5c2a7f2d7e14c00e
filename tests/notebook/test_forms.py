"""The forms of values in notebooks: well-formed HTML that shows the facts, and changes nothing."""

import re
import xml.dom.minidom
from html.parser import HTMLParser

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import nn, optimizer
from jaxeager.notebook import html_of


def text_of(html):
    """Return the text of HTML; it must be well-formed."""
    root = xml.dom.minidom.parseString(html.replace("&middot;", ";")).documentElement
    parts, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        parts += [node.data] if node.nodeType == node.TEXT_NODE else []
        waiting += reversed(node.childNodes)
    return re.sub(r"\s+", " ", " ".join(parts))


def form(value):
    assert value._repr_html_() == html_of(value)
    return text_of(value._repr_html_())


# ---- tensors


def test_a_tensor_shows_what_it_is_and_statistics():
    text = form(paddle.to_tensor([[1.0, 2.0], [3.0, 6.0]]))
    assert "Tensor float32[2, 2] ; cpu ; 16 B ; no gradient" in text
    assert "min 1, mean 3, std 1.871, max 6" in text
    assert "[[1., 2.], [3., 6.]]" in text


def test_the_origin_of_a_tensor():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x * x
    assert "made by MultiplyGradNode" in form(y)
    y.sum().backward()
    assert "a leaf ; has a gradient" in form(x)
    assert "Parameter float32[2, 3]" in form(nn.Linear(2, 3).weight)


def test_numbers_that_are_not_finite_are_counted():
    assert "max 2, 2 nan or inf" in form(paddle.to_tensor([1.0, 2.0, np.nan, np.inf]))
    assert "no finite number" in form(paddle.to_tensor([np.nan, np.nan]))


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (np.array([True, False]), "bool[2]"),
        (np.array([3 + 4j, 0]), "max 5, of absolute values"),
        (np.arange(3), "int64[3]"),
        (np.zeros((0, 3)), "float64[0, 3]"),
        (np.array(1.5, np.float16), "float16[]"),
        (np.array([np.finfo(np.float64).max, -np.finfo(np.float64).max]), "float64[2]"),
    ],
)
def test_any_dtype_and_shape_has_a_form(value, said):
    assert said in form(paddle.to_tensor(value))


def test_the_histogram_has_the_counts():
    values = np.repeat([0.0, 1.0, 3.0], [10, 20, 40])
    html = paddle.to_tensor(values)._repr_html_()
    heights = [float(each) for each in re.findall(r'height="([\d.]+)"/>', html)]
    assert len(heights) == 32
    assert [round(heights[at] / 48, 2) for at in (0, 10, 31)] == [0.25, 0.5, 1.0]
    assert "histogram from 0 to 3" in html


def test_the_form_of_a_large_tensor_states_that_a_part_was_read():
    assert "of one element in 2" in form(paddle.zeros([5_000_000], dtype="int8"))


def test_other_tensors_have_their_printed_form():
    table = nn.Embedding(4, 2, sparse=True)
    table(paddle.to_tensor([1, 2])).sum().backward()
    assert "rows=[1, 2]" in form(table.weight.grad)


def test_a_form_records_nothing():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x * x
    version = y.inplace_version
    form(y)
    assert (y.inplace_version, y.grad_fn.name()) == (version, "MultiplyGradNode")
    with paddle.lazy():
        assert "max 4" in form(x * 2)


# ---- layers


def test_a_layer_is_a_tree_with_counts():
    net = nn.Sequential(nn.Linear(4, 8), nn.Sequential(nn.ReLU(), nn.Linear(8, 2, bias_attr=False)))
    net[0].bias.stop_gradient = True
    text = form(net)
    assert "Sequential 56 parameters, 8 frozen" in text
    assert (
        "0: Linear (in_features=4, out_features=8, dtype=float32) 40 parameters, 8 frozen" in text
    )
    assert "weight: float32[4, 8] bias: float32[8], frozen" in text
    assert net._repr_html_().count("<details") == 4


def test_shared_parameters_count_once():
    net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
    net[1].weight = net[0].weight
    assert "Sequential 24 parameters" in form(net)


def test_names_are_escaped():
    class Net(nn.Layer):
        def extra_repr(self):
            return "<script>&"

    assert "<script>" not in Net()._repr_html_()
    assert "<script>&" in form(Net())


# ---- nodes


def test_a_node_shows_where_its_gradients_go():
    x = paddle.to_tensor([[1.0, 2.0]], stop_gradient=False)
    text = form(paddle.concat([x * 2, x, paddle.ones([1, 2])]).grad_fn)
    assert "receives the gradient of float32[3, 2]" in text
    assert "0 0 float32[1, 2] ScaleGradNode 0 1 float32[1, 2] GradNodeAccumulation" in text
    assert "0 2 float32[1, 2] nowhere" in text


def test_a_node_that_has_run_says_so():
    x = paddle.to_tensor([1.0], stop_gradient=False)
    y = x * x
    y.backward()
    assert "MultiplyGradNode released" in form(y.grad_fn)


# ---- optimizers


def test_an_optimizer_shows_rate_and_groups():
    net, other = nn.Linear(2, 3), nn.Linear(3, 1)
    adam = optimizer.Adam(
        0.5, parameters=[{"params": net.parameters()}, {"params": other.parameters(), "beta1": 0.5}]
    )
    text = form(adam)
    assert "Adam learning rate 0.5" in text
    assert "0 2 9 beta1=0.9, " in text
    assert "1 2 4 beta1=0.5, " in text
    assert repr(adam) == "Adam(learning_rate=0.5, 4 parameters of 13 elements, 2 groups)"


def test_weight_decay_and_clipping_are_shown():
    clip = nn.ClipGradByGlobalNorm(1.0)
    sgd = optimizer.SGD(0.1, nn.Linear(2, 3).parameters(), weight_decay=0.25, grad_clip=clip)
    assert "weight_decay=0.25, grad_clip=ClipGradByGlobalNorm" in form(sgd)


def test_the_course_of_a_scheduler_is_drawn_without_a_step():
    decay = optimizer.lr.ExponentialDecay(1.0, 0.5)
    decay.step()
    assert "the next 100 steps: from 0.5 to 3.944e-31" in form(decay)
    assert (decay.last_epoch, decay()) == (1, 0.5)
    assert repr(decay) == "ExponentialDecay(step 1, rate 0.5)"
    assert "polyline" in optimizer.SGD(decay, nn.Linear(2, 3).parameters())._repr_html_()


def test_a_scheduler_that_follows_a_metric_has_no_course():
    text = form(optimizer.lr.ReduceOnPlateau(0.1))
    assert "the next rates depend on values that it is given" in text


# ---- files


def test_a_written_picture_is_shown(tmp_path):
    pytest.importorskip("pygraphviz")
    x = paddle.to_tensor([1.0], stop_gradient=False)
    files = paddle.debug.draw_backward_graph(x * x, tmp_path / "square")
    assert [path.suffix for path in files] == [".dot", ".svg"]
    assert "MultiplyGradNode" in files._repr_svg_()
    alone = paddle.debug.draw_backward_graph(x * x, tmp_path / "square", "dot")
    assert alone._repr_svg_() is None


def test_the_explorer_is_a_page_in_the_notebook(tmp_path):
    x = paddle.to_tensor([1.0], stop_gradient=False)
    page = paddle.debug.explore(x * x, tmp_path / "page.html")
    assert page == tmp_path / "page.html"
    frames = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attrs):
            frames.append((tag, dict(attrs)["srcdoc"]))

    Reader().feed(page._repr_html_())
    assert frames == [("iframe", page.read_text())]
