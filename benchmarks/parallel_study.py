"""The cost of a 7B-parameter GPT's step on 64 and 1,024 devices: memory, messages, dispatch.

    python -m benchmarks.parallel_study

For each way of placing the model, XLA compiles the whole step for that number of devices (a child
process splits the CPU into them; nothing is run), with 2 and with 3 layers, at full width and
length. Each further layer adds the same as the third, which determines the step of 32. The study
writes a table and a picture: benchmarks/results/parallel-study.md and .json,
docs/images/parallel-study.png.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from jaxeager.distributed.mesh.collective_counts import KINDS, Message

ROOT = Path(__file__).resolve().parents[1]
CONFIG = {"width": 4096, "words": 50304, "length": 2048, "heads": 32}
LAYERS, SEQUENCES = 32, 1024  # a step has 1,024 sequences: 2.1 million tokens
FLOPS = 400e12  # the share of a device's peak that is reached in practice
NETWORK, LINK = 50e9, 450e9  # bytes per second and device: between machines, and within one
DISPATCH = 50e-6  # seconds to launch a kernel on an accelerator from Python

WAYS = {
    64: [
        {"name": "data 64", "dp": 64, "mp": 1, "stage": 0, "sequence": False},
        {"name": "ZeRO-1 64", "dp": 64, "mp": 1, "stage": 1, "sequence": False},
        {"name": "ZeRO-3 64", "dp": 64, "mp": 1, "stage": 3, "sequence": False},
        {"name": "tensor 4, data 16", "dp": 16, "mp": 4, "stage": 0, "sequence": False},
        {"name": "tensor 4 + sequence, ZeRO-1 16", "dp": 16, "mp": 4, "stage": 1, "sequence": True},
        {"name": "tensor 4 + sequence, ZeRO-3 16", "dp": 16, "mp": 4, "stage": 3, "sequence": True},
    ],
    1024: [
        {"name": "ZeRO-1 1024", "dp": 1024, "mp": 1, "stage": 1, "sequence": False},
        {"name": "ZeRO-3 1024", "dp": 1024, "mp": 1, "stage": 3, "sequence": False},
        {"name": "tensor 8 + sequence, ZeRO-1 128", "dp": 128, "mp": 8, "stage": 1,
         "sequence": True},
        {"name": "tensor 8 + sequence, ZeRO-3 128", "dp": 128, "mp": 8, "stage": 3,
         "sequence": True},
    ],
}  # fmt: skip


def compiled(devices, ways):
    """Return the lines that parallel_program.py writes in a process with that many devices."""
    flags = f"--xla_force_host_platform_device_count={devices}"
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.parallel_program", json.dumps([ways, CONFIG])],
        capture_output=True, text=True, check=False, cwd=ROOT,
        env=os.environ | {"XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu", "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr[-4000:])
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def parameters(layers=LAYERS):
    """Return the number of parameters of the model."""
    width = CONFIG["width"]
    shared = (CONFIG["words"] + CONFIG["length"] + 1) * width
    return shared + layers * (12 * width * width + 2 * width)


def of_all_layers(two, three):
    """Return a number for the step of all layers, from those of the steps of two and three."""
    return two + (three - two) * (LAYERS - 2)


def sums(line, way):
    """Return per kind the number of messages, and the bytes sent for parameters and activations.

    A message among the devices of one copy of the model carries activations, once per sequence of a
    device; the others carry parameters and gradients, once per step. Each number takes 2 bytes.
    """
    count = dict.fromkeys(KINDS, 0)
    sent = {"parameters": 0.0, "activations": 0.0}
    for kind, elements, group in line["messages"]:
        count[kind] += 1
        is_of_one_copy = way["mp"] > 1 and group == way["mp"]
        message = Message(kind, 2 * elements, group)
        sent["activations" if is_of_one_copy else "parameters"] += message.sent
    return count, sent


def memory(way):
    """Return the bytes on a device of parameters, gradients, optimizer state and activations.

    Numbers are bfloat16, and the state is a float32 copy and two moments. Activations are those
    that each layer keeps of one sequence when the rest is recomputed, and one layer's own.
    """
    count = parameters() / way["mp"]
    dp, stage = way["dp"], way["stage"]
    width, length = CONFIG["width"], CONFIG["length"]
    kept = 2 * LAYERS * length * width / (way["mp"] if way["sequence"] else 1)
    own = 34 * length * width / way["mp"]
    return {
        "parameters": 2 * count / (dp if stage >= 3 else 1),
        "gradients": 2 * count / (dp if stage >= 2 else 1),
        "state": 12 * count / (dp if stage >= 1 else 1),
        "activations": kept + own,
    }


def check_arguments(line, way):
    """Raise unless a program's parameters and moments have the size that ``memory`` returns."""
    of_matrices = 12 * line["layers"] * CONFIG["width"] ** 2 + CONFIG["words"] * CONFIG["width"]
    of_rest = (CONFIG["length"] + 2 * line["layers"] + 1) * CONFIG["width"]
    whole = 4 * (of_matrices / way["mp"] + of_rest)
    dp = way["dp"]
    wanted = whole / (dp if way["stage"] >= 3 else 1) + 2 * whole / (dp if way["stage"] else 1)
    assert abs(line["arguments"] / wanted - 1) < 0.01, (way["name"], line["arguments"], wanted)


def study(devices):
    """Return a row of the table for each way on that many devices."""
    lines = compiled(devices, WAYS[devices])
    rows = []
    for way in WAYS[devices]:
        two, three = [line for line in lines if line["way"] == way["name"]]
        check_arguments(two, way)
        (count2, sent2), (count3, sent3) = sums(two, way), sums(three, way)
        count = {kind: of_all_layers(count2[kind], count3[kind]) for kind in KINDS}
        sent = {name: of_all_layers(sent2[name], sent3[name]) for name in sent2}
        sent["activations"] *= SEQUENCES / way["dp"]
        tokens = SEQUENCES * CONFIG["length"] / devices
        rows.append({
            "way": way["name"], "devices": devices, "memory": memory(way),
            "messages": {kind: number for kind, number in count.items() if number},
            "sent": sent,
            "compute_s": 6 * parameters() * tokens / FLOPS,
            "network_s": sent["parameters"] / NETWORK, "link_s": sent["activations"] / LINK,
            "kernels": of_all_layers(two["kernels"], three["kernels"]),
            "compile_s": three["seconds"],
        })  # fmt: skip
    return rows


def table(rows):
    """Return the rows as a Markdown table."""
    text = (
        "| devices | placements | GB: parameters, gradients, state, activations | in all | messages"
        " a step | GB sent: parameters, activations | s: compute, network, links |\n"
        "| ---: | --- | --- | ---: | --- | --- | --- |\n"
    )
    for row in rows:
        parts = " + ".join(f"{each / 1e9:.1f}" for each in row["memory"].values())
        whole = sum(row["memory"].values()) / 1e9
        messages = ", ".join(f"{number} {kind}" for kind, number in row["messages"].items())
        sent = ", ".join(f"{each / 1e9:.1f}" for each in row["sent"].values())
        seconds = f"{row['compute_s']:.2f}, {row['network_s']:.2f}, {row['link_s']:.2f}"
        text += (
            f"| {row['devices']:,} | {row['way']} | {parts} | {whole:.1f} | {messages} | {sent} | "
            f"{seconds} |\n"
        )
    return text


def draw(rows, path):
    """Draw memory and seconds of each way."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    names = [f"{row['way']}\n({row['devices']:,} devices)" for row in rows][::-1]
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 5), sharey=True)
    parts = {
        "parameters": "#4c78a8", "gradients": "#9ecae9", "state": "#f58518",
        "activations": "#bab0ac",
    }  # fmt: skip
    start = [0.0] * len(rows)
    for part, color in parts.items():
        sizes = [row["memory"][part] / 1e9 for row in rows][::-1]
        left.barh(names, sizes, left=start, color=color, label=part)
        start = [a + b for a, b in zip(start, sizes, strict=True)]
    left.axvline(80, color="#666666", linewidth=0.8, linestyle="--")
    left.set_xlabel("GB on a device (line: 80)")
    left.legend(fontsize=8)
    shown = {"compute_s": "compute", "network_s": "network", "link_s": "links"}
    for offset, (name, label) in zip((0.25, 0, -0.25), shown.items(), strict=True):
        places = [place + offset for place in range(len(rows))]
        right.barh(places, [row[name] for row in rows][::-1], height=0.24, label=label)
    right.axvline(
        max(row["kernels"] for row in rows) * DISPATCH,
        color="#666666", linewidth=0.8, linestyle="--",
    )  # fmt: skip
    right.set_xscale("log")
    right.set_xlabel("seconds a step (line: kernels started one by one)")
    right.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main():
    """Write the table and the picture."""
    began = time.perf_counter()
    rows = [row for devices in WAYS for row in study(devices)]
    results = ROOT / "benchmarks" / "results"
    (results / "parallel-study.json").write_text(json.dumps(rows, indent=1) + "\n")
    (results / "parallel-study.md").write_text(table(rows))
    draw(rows, ROOT / "docs" / "images" / "parallel-study.png")
    print(table(rows))
    kernels = max(row["kernels"] for row in rows)
    tokens = kernels * DISPATCH * FLOPS / (6 * parameters())
    print(
        f"{parameters() / 1e9:.2f} billion parameters; {kernels} kernels op by op, "
        f"{kernels * DISPATCH:.3f} s to start them: as long as {tokens:,.0f} tokens a device take"
    )
    print(f"made in {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
