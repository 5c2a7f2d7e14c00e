"""The explorer's page of large graphs in a real browser: the map, levels of Layers, and focus."""

import pytest

from jaxeager.debug import explore
from tests.debug.explorer.browser import Page
from tests.debug.explorer.crowds import crowd
from tests.debug.explorer.programs import written_through_a_view

pytestmark = pytest.mark.deep


@pytest.fixture
def large(started, tmp_path):
    """Yield the open page of a graph of 1,000 nodes in Layers; check that no error occurred."""
    opened = Page(started, explore(crowd(1000, is_grouped=True), tmp_path / "large.html"))
    yield opened
    opened.page.close()
    assert opened.errors == []


def pixels_of(page, pane, color):
    """Return the rows of a map, from 0 to 1, that have a pixel of a color of the page."""
    script = """([id, name]) => {
      const canvas = document.getElementById(id), { width, height } = canvas;
      const copy = new OffscreenCanvas(width, height + 1);
      const ink = copy.getContext('2d', { willReadFrequently: true });
      ink.drawImage(canvas, 0, 0);
      ink.fillStyle = JX.colour(name);
      ink.fillRect(0, height, 1, 1);
      const [r, g, b] = ink.getImageData(0, height, 1, 1).data, rows = new Set();
      const data = ink.getImageData(0, 0, width, height).data;
      for (let at = 0; at < data.length; at += 4) {
        const isSame = data[at] === r && data[at + 1] === g && data[at + 2] === b;
        if (isSame) rows.add(Math.floor(at / 4 / width) / height);
      }
      return [...rows];
    }"""
    return page.page.evaluate(script, [f"{pane}-map", color])


def test_the_map_shows_the_part_that_is_in_the_pane(large):
    large.open_to("Unfold all")
    rows = pixels_of(large, "forward", "--accent")
    assert min(rows) < 0.05
    assert max(rows) < 0.3
    box = large.page.locator("#forward-map").bounding_box()
    large.page.mouse.click(box["x"] + 40, box["y"] + 0.8 * box["height"])
    rows = pixels_of(large, "forward", "--accent")
    assert 0.7 < min(rows) < 0.8 < max(rows) < 0.9
    middle = large.ask("(JX.page.panes.f.cy.extent().y1 + JX.page.panes.f.cy.extent().y2) / 2")
    low, high = large.ask("[JX.page.panes.f.extent.top, JX.page.panes.f.extent.bottom]")
    assert 0.78 < (middle - low) / (high - low) < 0.82


def test_the_map_marks_findings_and_colors(page):
    page.open_to("Unfold all")
    assert pixels_of(page, "backward", "--bad")
    before = pixels_of(page, "forward", "--step-5")
    page.page.select_option("#colour", "bytes")
    assert not before
    assert pixels_of(page, "forward", "--step-5")


def test_a_drag_that_leaves_the_map_stays_at_the_graph(large):
    large.open_to("Unfold all")
    box = large.page.locator("#forward-map").bounding_box()
    large.page.mouse.move(box["x"] + 40, box["y"] + 100)
    large.page.mouse.down()
    large.page.mouse.move(box["x"] + 900, box["y"] + 3000)
    large.page.mouse.up()
    rows = pixels_of(large, "forward", "--accent")
    assert rows
    assert max(rows) > 0.95


def test_the_colors_of_folded_layers_differ(started, tmp_path):
    data = crowd(1000, is_grouped=True)
    for node in data["nodes"]:
        node["backward_us"] = 1000.0 if node["name"].startswith("add50") else 1.0
    opened = Page(started, explore(data, tmp_path / "slow.html"))
    opened.open_to("Unfold 1 of 2 levels")
    opened.page.select_option("#colour", "backward")
    fills = opened.ask(
        "JX.page.panes.b.cy.nodes('.folded').map((node) => [node.data('label'), node.data('fill')])"
    )
    darkest = opened.ask("JX.colour('--step-5')")
    dark = [label for label, fill in fills if fill == darkest]
    assert [label.split()[1] for label in dark] == ["blocks.50"]
    assert len(fills) == 100
    opened.page.close()
    assert opened.errors == []


def test_a_small_graph_has_no_map(started, tmp_path):
    opened = Page(started, explore(written_through_a_view(), tmp_path / "view.html"))
    assert opened.page.locator("#forward-map").is_hidden()
    opened.page.close()
    assert opened.errors == []


def test_layers_open_level_by_level(page):
    names = page.page.locator("#levels option").all_inner_texts()
    assert names[:2] == ["Unfold", "Fold all"]
    assert names[-1] == "Unfold all"
    counts = []
    for name in names[1:]:
        page.open_to(name)
        counts.append(len(page.shown("f")))
        assert page.ask("document.getElementById('levels').value") == ""  # ready for the next
    assert counts == sorted(set(counts))
    assert "sqrt1" in page.shown("f")


def test_only_what_is_near_the_selection_is_shown(large):
    large.open_to("Unfold all")
    large.page.fill("#search", "add502")
    large.press("Enter", "o")
    leaf = "blocks.50.weight_1"
    assert {"add500", "add502", "add503", "add505"} <= set(large.shown("f"))
    assert "add506" not in large.shown("f")
    assert "within 2 steps of add502" in large.page.inner_text("#focus-bar")
    assert any(leaf.endswith(label) for label in large.shown("f"))
    near = len(large.shown("f"))
    assert near == len(large.shown("b"))
    large.page.click("#focus-more")
    assert "add506" in large.shown("f")
    large.page.click("#focus-less")
    assert len(large.shown("f")) == near
    large.page.click("#focus-less")
    assert large.page.locator("#focus-less").is_disabled()
    large.page.click("#focus-end")
    assert large.page.locator("#focus-bar").is_hidden()
    assert len(large.shown("f")) > 1000
    assert large.picked() == "add502"


def test_a_search_for_something_far_ends_the_focus(large):
    large.page.fill("#search", "add502")
    large.press("Enter", "o")
    assert large.page.locator("#focus-bar").is_visible()
    large.page.fill("#search", "add907")
    large.press("Enter")
    assert large.page.locator("#focus-bar").is_hidden()
    assert large.picked() == "add907"
    assert "add907" in large.shown("f")


def test_a_focus_needs_a_selection(large):
    assert large.page.locator("#focus").is_disabled()
    large.press("o")
    assert large.page.locator("#focus-bar").is_hidden()
    assert large.page.inner_text("#said") == "Pick a node first"


def test_a_focus_goes_on_to_another_node(large):
    large.open_to("Unfold all")
    large.page.fill("#search", "add502")
    large.press("Enter", "o")
    assert "within 2 steps of add502" in large.page.inner_text("#said")
    near = large.ask("JX.page.model.data.nodes.find((node) => node.name === 'add505').id")
    large.ask(f"JX.page.pick('n{near}')")
    large.press("o")
    assert "within 2 steps of add505" in large.page.inner_text("#focus-bar")
    assert "add500" not in large.shown("f")
    large.press("o")
    assert large.page.locator("#focus-bar").is_hidden()
    assert large.page.inner_text("#said") == "All nodes are shown"


def test_folded_layers_count_what_is_near(large):
    large.page.fill("#search", "add502")
    large.press("Enter", "o")
    near = large.ask("JX.page.model.near.size")
    large.open_to("Fold all")
    assert large.shown("f") == [f"▸ model Model ({near})"]


def test_an_address_of_an_older_page_selects_nothing(started, tmp_path):
    path = explore(crowd(100), tmp_path / "old.html")
    opened = Page(started, path)
    opened.page.goto(f"{path.as_uri()}#n99999")
    opened.page.reload()
    opened.page.wait_for_function("window.JX && JX.ready")
    assert opened.picked() is None
    opened.page.evaluate("location.hash = '#n7'")
    opened.page.wait_for_timeout(100)
    assert opened.picked() == "add7"
    opened.page.close()
    assert opened.errors == []


def test_the_keyboard_goes_into_an_open_layer(large):
    large.open_to("Fold all")
    large.page.focus("#forward")
    large.press("ArrowDown", "Enter", "ArrowDown")
    assert large.picked() == "blocks.0"
    large.press("Enter", "ArrowDown", "ArrowDown")
    assert large.ask("JX.page.picked()").startswith("n")


def test_a_model_in_one_layer_does_not_begin_as_one_box(large):
    assert "▸ blocks.7 Block (10)" in large.shown("f")


def test_the_page_does_not_scroll_while_its_parts_do(large):
    large.open_to("Unfold all")
    large.page.fill("#search", "add907")
    large.press("Enter", "o")
    assert large.page.locator("#focus-bar").is_visible()
    assert large.ask("document.scrollingElement.scrollHeight <= innerHeight")


def test_an_unfolded_graph_shows_many_nodes(large):
    large.open_to("Unfold all")
    count = """JX.page.panes.f.cy.nodes().not('.open').filter((node) => {
      const { x, y } = node.renderedPosition(), { cy } = JX.page.panes.f;
      return x > 0 && y > 0 && x < cy.width() && y < cy.height();
    }).length"""
    assert large.ask(count) >= 8
