"""Finds problems in the data of a graph, the likeliest cause first.

Note [Where it was born]
    A NaN spreads to everything computed from it, so only its origin is reported: a forward output
    with NaNs whose operands have none, and a gradient with NaNs where the received gradients have
    none. The same holds for infinities, which are reported last: some are intended.
"""

from jaxeager.debug.numbers.sites import FILLS

_LEVELS = ("", "inf", "nan")


def find_problems(nodes: list[dict], edges: list[dict]) -> list[dict]:
    """Return the problems: each a node, a kind ("error", "stale", "nan", "inf") and a sentence."""
    born = _born_forward(nodes, edges) + _born_backward(nodes, edges)
    born.sort(key=lambda each: each["kind"] != "nan")
    return _errors(nodes) + _stale(nodes) + born


def _problem(node: dict, kind: str, text: str) -> dict:
    return {"node": node["id"], "kind": kind, "text": text}


def _errors(nodes: list[dict]) -> list[dict]:
    """Return the errors of nodes, except those that a stale saved tensor explains."""
    return [
        _problem(node, "error", f"{node['grad_name'] or node['name']} raised {node['error']}")
        for node in nodes
        if node["error"] and not any(saved["is_stale"] for saved in node["saved"])
    ]


def _stale(nodes: list[dict]) -> list[dict]:
    found = []
    for node in nodes:
        stale = [saved for saved in node["saved"] if saved["is_stale"]]
        if stale:
            first = stale[0]
            names = " and ".join(dict.fromkeys(each["tensor"] or each["name"] for each in stale))
            by = f" by {first['writer']['op']}" if first["writer"] else ""
            text = (
                f"{node['name']} saved {names} at version {first['version']}; it was written in "
                f"place{by} since and is at version {first['now']}: backward refuses it."
            )
            found.append(_problem(node, "stale", text))
    return found


def badness(figures: dict | None) -> int:
    """Return 2 if figures contain NaNs, 1 if only infinities, 0 otherwise."""
    if not figures:
        return 0
    return 2 if figures["nan"] else 1 if figures["inf"] else 0


def _worst(values: list[dict]) -> int:
    return max([badness(each["figures"]) for each in values], default=0)


def _counts(values: list[dict], level: int) -> str:
    """Return "3 NaN of 12 numbers", for the first value of that badness."""
    figures = next(each["figures"] for each in values if badness(each["figures"]) == level)
    word, kind = ("NaN", "nan") if level == 2 else ("Inf", "inf")
    return f"{figures[kind]} {word} of {figures['count']} numbers"


def _born_forward(nodes: list[dict], edges: list[dict]) -> list[dict]:
    worst = [_worst(node["outputs"]) for node in nodes]
    given = [0] * len(nodes)
    for edge in edges:
        if "f" in edge["passes"]:
            given[edge["source"]] = max(given[edge["source"]], worst[edge["target"]])
    found = []
    for node in nodes:
        level = worst[node["id"]]
        if level <= given[node["id"]] or (level == 1 and node["op"] in FILLS):
            continue
        counts = _counts(node["outputs"], level)
        if node["kind"] in ("leaf", "input"):
            text = f"{node['name']} already contained {counts}."
        else:
            text = f"{node['name']} made {counts} from operands without any: born here, forward."
        found.append(_problem(node, _LEVELS[level], text))
    return found


def _born_backward(nodes: list[dict], edges: list[dict]) -> list[dict]:
    found, seen = [], set()
    for edge in edges:
        node, level = nodes[edge["source"]], badness(edge["figures"])
        before = max(_worst(node["gradients"]), _worst(node["outputs"]), _worst(node["saved"]))
        if level <= before or node["id"] in seen:
            continue
        seen.add(node["id"])
        text = (
            f"{node['grad_name'] or node['name']} passed {_counts([edge], level)} to "
            f"{nodes[edge['target']]['name']}; its own inputs have none: born here, backward."
        )
        found.append(_problem(node, _LEVELS[level], text))
    return found
