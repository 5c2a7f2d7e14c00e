"""The explorer's page in a real browser: search, click, fold, keyboard, colours; 5,000 nodes."""

import pytest

from jaxeager.debug import explore, record
from tests.debug.explorer.browser import Page
from tests.debug.explorer.crowds import crowd
from tests.debug.explorer.programs import (
    written_through_a_view,
)

pytestmark = pytest.mark.deep
FIRST_PAINT_MS = 2000  # on a quiet machine of two cores; a busy one is given more below


def test_the_page_makes_no_network_request(page, run):
    assert [url for url in page.requests if not url.startswith("data:")] == [run.as_uri()]


def test_both_graphs_are_there(page):
    assert "sqrt1" in page.shown("f")
    assert "sqrt1GradNode" in page.shown("b")
    assert page.page.title().endswith("graph explorer")


def test_search_by_unique_name_and_by_pointer(page):
    page.press("/")
    page.page.keyboard.type("sqrt1")
    assert page.page.locator("#results [role=option]").first.inner_text().startswith("sqrt1")
    page.press("Enter")
    assert page.picked() == "sqrt1"
    pointer = page.ask("JX.page.model.data.nodes.find((node) => node.name === 'tanh1').pointer")
    page.page.fill("#search", pointer)
    page.press("Enter")
    assert page.picked() == "tanh1"
    page.page.fill("#search", "no such thing")
    assert "Nothing has this name" in page.page.inner_text("#results")


def test_search_with_the_arrow_keys(page):
    page.page.fill("#search", "tanh")
    before = page.page.get_attribute("#search", "aria-activedescendant")
    page.press("ArrowDown")
    after = page.page.get_attribute("#search", "aria-activedescendant")
    assert (before, after) == ("result-0", "result-1")
    wanted = page.page.locator("#result-1 span").first.inner_text()
    page.press("Enter")
    assert page.picked() == wanted
    assert page.page.locator("#results").is_hidden()


def test_a_click_shows_stack_saved_tensors_gradients_and_log(page):
    node = page.ask("JX.page.model.data.nodes.find((node) => node.name === 'sqrt1').id")
    page.ask(f"JX.page.panes.b.bringIntoView('n{node}')")
    page.click("b", f"n{node}")
    assert page.picked() == "sqrt1"
    text = page.page.inner_text("#details")
    parts = [
        "sqrt1GradNode", "Forward stack", "spread = paddle.sqrt", "Gradient that arrived",
        "Saved for backward", "version 0", "Running_AD_API: sqrt", "born here, backward",
    ]  # fmt: skip
    assert [part for part in parts if part not in text] == []
    assert page.page.locator("#details svg.histogram").count() > 0
    assert page.ask(f"JX.page.panes.f.cy.getElementById('n{node}').hasClass('picked')")


def test_before_anything_is_picked_the_greatest_are_listed(page):
    text = page.page.inner_text("#details")
    for title in ("Slowest in backward", "Most saved for backward", "Largest gradients"):
        assert title in text
    button = page.page.locator("#details .ranked button").first
    name = button.inner_text()
    button.click()
    assert page.picked() == name


def test_tab_goes_from_search_to_the_graphs_and_the_details(page):
    page.page.focus("#search")
    met = []
    while "backward" not in met and len(met) < 60:
        page.press("Tab")
        met.append(page.ask("document.activeElement.id || document.activeElement.className"))
    order = ["colour", "levels", "fit", "keys", "forward", "backward"]
    assert [each for each in met if each in order] == order
    assert page.ask("document.activeElement.getAttribute('role')") == "application"


def test_a_finding_leads_to_its_node(page):
    page.page.locator("#problems button").first.click()
    assert page.picked() == "sqrt1"
    page.press("Escape")
    assert page.picked() is None
    page.press("n")
    assert page.picked() == "sqrt1"


def test_layers_and_pylayers_fold(page):
    page.open_to("Fold all")
    folded = page.shown("f")
    assert any(label.startswith("▸ tower") and "Tower" in label for label in folded)
    assert any(label.startswith("▸ Square") for label in folded)
    assert "sqrt1" not in folded
    tower = page.ask(
        "JX.page.panes.f.cy.nodes().filter((node) => node.data('label').includes('Tower'))[0].id()"
    )
    page.click("f", tower, count=2)
    assert any("layers.7 Standardize" in label for label in page.shown("f"))
    assert any("layers.7 Standardize" in label for label in page.shown("b"))
    page.open_to("Unfold all")
    assert {"sqrt1", "Square1"} <= set(page.shown("f"))


def test_the_search_finds_nodes_hidden_in_a_fold(page):
    page.open_to("Fold all")
    page.page.fill("#search", "sqrt1")
    page.press("Enter")
    assert "sqrt1" in page.shown("f")
    assert page.picked() == "sqrt1"


def test_the_keyboard_alone(page):
    page.page.focus("#forward")
    page.press("ArrowDown")
    first = page.picked()
    page.press("ArrowDown")
    assert page.picked() != first
    page.open_to("Fold all")
    page.page.focus("#forward")
    page.press("Escape", "ArrowDown")
    while not page.ask("JX.page.picked()").startswith("g"):
        page.press("ArrowDown")
    group = page.picked()
    page.press("Enter")
    assert page.page.inner_text("#toggle-group") == "Fold"
    page.press("f")
    assert page.page.inner_text("#toggle-group") == "Unfold"
    assert page.picked() == group
    zoom = page.ask("JX.page.panes.f.cy.zoom()")
    page.press("+")
    assert page.ask("JX.page.panes.f.cy.zoom()") > zoom
    page.press("d")
    assert page.ask("document.activeElement.id") == "details"
    page.press("?")
    assert page.page.locator("#keys-dialog").is_visible()
    page.press("Escape")
    assert page.page.locator("#keys-dialog").is_hidden()


def test_the_outline_is_a_tree_for_screen_readers(page):
    page.open_to("Fold all")
    items = page.page.locator("#tree [role=treeitem]")
    items.first.focus()
    assert items.first.get_attribute("aria-expanded") == "false"
    page.press("ArrowRight")
    assert items.first.get_attribute("aria-expanded") == "true"
    page.press("ArrowDown")
    level = page.ask("document.activeElement.getAttribute('aria-level')")
    assert level == "2"
    assert page.page.inner_text("#said")
    page.press("ArrowLeft", "ArrowLeft")
    assert (
        page.page.locator("#tree [role=treeitem]").first.get_attribute("aria-expanded") == "false"
    )


def test_everything_that_is_focused_has_a_name(page):
    nameless = page.ask("""
        [...document.querySelectorAll('button, input, select, [tabindex="0"]')].filter((element) =>
          !(element.getAttribute('aria-label') || element.getAttribute('aria-labelledby')
            || element.textContent.trim() || element.closest('label')))
          .map((element) => element.outerHTML)
    """)
    assert nameless == []


@pytest.mark.parametrize("mode", ["forward", "backward", "bytes", "norm"])
def test_colours_show_figures(page, mode):
    before = page.ask("JX.page.panes.b.cy.nodes().map((node) => node.data('fill'))")
    page.page.select_option("#colour", mode)
    after = page.ask("JX.page.panes.b.cy.nodes().map((node) => node.data('fill'))")
    assert len(set(after)) > 2
    assert before != after
    assert page.page.locator("#legend .scale").count() == 1


# The relative luminance of colours, and the contrast of two, as WCAG 2 has them.
CONTRAST = """(pairs) => {
  const css = getComputedStyle(document.documentElement);
  const light = (name) => {
    const hex = css.getPropertyValue(name).trim();
    const parts = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
      .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  return pairs.map(([a, b]) => {
    const [dark, bright] = [light(a), light(b)].sort((x, y) => x - y);
    return (bright + 0.05) / (dark + 0.05);
  });
}"""
PAIRS = [
    ("--text", "--page"), ("--text", "--panel"), ("--muted", "--panel"), ("--muted", "--page"),
    ("--muted", "--canvas"), ("--muted", "--group"), ("--accent", "--panel"), ("--bad", "--panel"),
    ("--text", "--bad-soft"), ("--text", "--warn-soft"),
    *((f"--{kind}-ink", f"--{kind}-fill") for kind in ("op", "pylayer", "leaf", "input", "group")),
    *((f"--step-ink-{step}", f"--step-{step}") for step in range(6)),
]  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read(started, run, scheme):
    opened = Page(started, run, scheme)
    found = opened.page.evaluate(CONTRAST, PAIRS)
    opened.page.close()
    assert {
        pair: round(each, 2) for pair, each in zip(PAIRS, found, strict=True) if each < 4.5
    } == {}


def test_the_page_of_a_write_through_a_view(started, tmp_path):
    opened = Page(started, explore(written_through_a_view(), tmp_path / "view.html"))
    opened.page.locator("#problems button").first.click()
    assert opened.picked() == "multiply"
    assert "saved at version 0, now 1" in opened.page.inner_text("#details")
    opened.page.close()
    assert opened.errors == []


def test_a_page_without_a_backward_says_so(started, tmp_path):
    with record(tmp_path / "empty.html"):
        pass
    opened = Page(started, tmp_path / "empty.html")
    assert opened.page.locator("#forward-empty").is_visible()
    assert opened.page.locator("#backward-empty").is_visible()
    opened.press("n", "f", "+", "ArrowDown")
    opened.page.click("#fit")
    opened.page.close()
    assert opened.errors == []


def test_a_large_graph_begins_at_its_upper_end_and_can_be_fitted(started, tmp_path):
    opened = Page(started, explore(crowd(3000), tmp_path / "crowd.html"))
    for pane, first in (("f", "n0"), ("b", "n2999")):
        spot = opened.ask(f"JX.page.panes.{pane}.cy.getElementById('{first}').renderedPosition()")
        assert 0 < spot["y"] < 200
        assert opened.ask(f"JX.page.panes.{pane}.cy.nodes().length") == 3000
    opened.page.click("#fit")
    zoom = opened.ask("JX.page.panes.f.cy.zoom()")
    assert 0.3 <= zoom < 1  # not so small that no name can be read: the map shows the whole
    opened.page.close()
    assert opened.errors == []


def test_the_nearest_line_of_the_user_is_opened(page):
    page.page.fill("#search", "matmul1")
    page.press("Enter")
    stack = page.page.locator("#details .stack").first
    assert stack.locator("li.library").count() > 0
    assert "x = layer(x)" in stack.locator("details[open]").inner_text()


@pytest.mark.parametrize("is_grouped", [False, True])
def test_five_thousand_nodes(started, tmp_path, is_grouped):
    opened = Page(started, explore(crowd(5000, is_grouped), tmp_path / "crowd.html"))
    took = opened.ask("JX.firstPaint")
    print(f"first paint of 5,000 nodes: {took:.0f} ms")
    assert took < 3 * FIRST_PAINT_MS
    opened.page.fill("#search", "add2507")
    opened.press("Enter")
    assert opened.picked() == "add2507"
    node = opened.ask("JX.page.picked()")
    spot = opened.ask(f"JX.page.panes.f.cy.getElementById('{node}').renderedPosition()")
    assert 0 < spot["x"] < SIZE_OF_PANE[0]
    assert 0 < spot["y"] < SIZE_OF_PANE[1]
    opened.press("Escape")
    opened.page.focus("#forward")
    opened.ask(f"JX.page.pick('{node}')")
    opened.press("ArrowDown")
    assert opened.picked() == "add2508"
    if is_grouped:
        opened.open_to("Fold all")
        assert opened.shown("f") == ["▸ model Model (5000)"]
    opened.page.close()
    assert opened.errors == []


SIZE_OF_PANE = (750, 900)
