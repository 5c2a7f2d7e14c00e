"""Data of large graphs, for the page, as a recording would produce them."""

from jaxeager.debug.explorer.table import Table


def crowd(count: int, is_grouped: bool = False) -> dict:
    """Return data of a graph of a given size: blocks of eight ops and two leaves in a row."""
    table = Table(f"{count} nodes", "recorded")
    root = table.group("root", "model", "Model", "layer", None)
    last, number = None, 0
    while number < count:
        block = table.group(number, f"blocks.{number // 10}", "Block", "layer", root)
        first = last
        for each in range(min(10, count - number)):
            is_leaf = each in (1, 4)
            node = table.node(number, "leaf" if is_leaf else "op", "fb")
            node["name"] = f"blocks.{number // 10}.weight_{each}" if is_leaf else f"add{number}"
            node["grad_name"] = "GradNodeAccumulation" if is_leaf else f"add{number}GradNode"
            node["pointer"] = f"{0x55C000000000 + 64 * number:#x}"
            node["op"] = "leaf" if is_leaf else "add"
            node["group"] = block if is_grouped else None
            node["backward_us"] = float(number % 97 + 1)
            known = {"name": f"t{number}", "dtype": "float32", "shape": [8, 8]}
            if is_leaf:
                leaf = node
            else:
                if last is not None:
                    table.edge(node, last, "fb", **known)
                if each in (2, 5):
                    table.edge(node, leaf, "fb", **known)
                if each == 7 and first is not None:
                    table.edge(node, first, "fb", **known)
                last = node
            number += 1
    if not is_grouped:
        table.groups.clear()
    return table.data()
