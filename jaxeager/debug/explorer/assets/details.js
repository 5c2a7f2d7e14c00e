// The details of one node or group, next to the graph.
"use strict";

(function () {
  const make = (tag, given, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(given || {})) {
      if (name === "text") element.textContent = value;
      else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  };
  JX.make = make;

  JX.number = function (value) {
    if (value === null || value === undefined) return "–";
    if (value === 0) return "0";
    const size = Math.abs(value);
    if (Number.isInteger(value) && size < 1e6) return String(value);
    return size >= 1e-3 && size < 1e5 ? String(Number(value.toPrecision(4))) : value.toExponential(2);
  };
  JX.bytes = function (value) {
    if (value === null || value === undefined) return "–";
    const units = ["B", "KiB", "MiB", "GiB"];
    let at = 0;
    while (value >= 1024 && at < 3) { value /= 1024; at += 1; }
    return `${at ? value.toFixed(1) : value} ${units[at]}`;
  };
  JX.time = function (us) {
    if (us === null || us === undefined) return "–";
    if (us >= 1e6) return `${(us / 1e6).toFixed(2)} s`;
    return us >= 1000 ? `${(us / 1000).toFixed(2)} ms` : `${us.toFixed(0)} µs`;
  };
  const aval = (value) => (value.shape ? `${value.dtype}[${value.shape.join(", ")}]` : "");
  const section = (title, ...children) => make("section", { class: "part" }, make("h3", { text: title }), ...children);
  const quiet = (text) => make("p", { class: "quiet", text });

  // ---- figures

  function histogram(figures) {
    const bars = figures.histogram;
    const most = Math.max(...bars, 1), width = 264, height = 54, step = width / bars.length;
    const svgName = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(svgName, "svg");
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("class", "histogram");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", `Histogram of ${figures.count} numbers from ${JX.number(figures.min)} to ${JX.number(figures.max)}; the highest bar has ${most}.`);
    bars.forEach((count, k) => {
      const bar = document.createElementNS(svgName, "rect");
      const tall = count ? Math.max(1.5, (count / most) * (height - 2)) : 0;
      bar.setAttribute("x", (k * step + 0.5).toFixed(1));
      bar.setAttribute("width", (step - 1).toFixed(1));
      bar.setAttribute("y", (height - tall).toFixed(1));
      bar.setAttribute("height", tall.toFixed(1));
      svg.append(bar);
    });
    return make("div", { class: "spread" }, svg, make("div", { class: "ends" },
      make("span", { text: JX.number(figures.min) }), make("span", { text: JX.number(figures.max) })));
  }

  function figuresOf(figures) {
    if (!figures) return quiet("No figures.");
    const cells = [["norm", figures.norm], ["mean", figures.mean], ["min", figures.min], ["max", figures.max],
      ["numbers", figures.count], ["zero", figures.zero], ["NaN", figures.nan], ["Inf", figures.inf]];
    const list = make("dl", { class: "figures" });
    for (const [name, value] of cells) {
      const isBad = (name === "NaN" || name === "Inf") && value;
      list.append(make("div", { class: isBad ? "bad" : null }, make("dt", { text: name }), make("dd", { text: JX.number(value) })));
    }
    const parts = [list];
    if (figures.min !== null && figures.histogram && figures.count > 1) parts.push(histogram(figures));
    return make("div", {}, ...parts);
  }

  const valueBlock = (value) => make("div", { class: "value" },
    make("p", { class: "mono name", text: value.name || "(no name)" }), make("p", { class: "mono quiet", text: aval(value) }), figuresOf(value.figures));

  // ---- stacks

  JX.stackOf = function (data, number) {
    const frames = data.stacks[number];
    const list = make("ol", { class: "stack" });
    let opened = frames.length - 1;  // the nearest line of the user's code
    while (opened > 0 && !frames[opened].is_user) opened -= 1;
    if (!frames.length || !frames[opened].is_user) opened = frames.length - 1;
    frames.forEach((frame, depth) => {
      const isLast = depth === opened;
      const known = data.sources[frame.file] || {};
      const lines = Object.keys(known).map(Number).filter((line) => Math.abs(line - frame.line) <= 3);
      const code = make("pre", { class: "source" });
      if (lines.length) {
        for (const line of lines) {
          code.append(make("span", { class: line === frame.line ? "line here" : "line" },
            make("span", { class: "number", text: String(line).padStart(4) }), ` ${known[line]}\n`));
        }
      } else {
        code.append(make("span", { class: "line here" }, ` ${frame.text}\n`));
      }
      const short = frame.file.split(/[\\/]/).slice(-2).join("/");
      list.append(make("li", { class: frame.is_user ? null : "library" }, make("details", { open: isLast ? "" : null },
        make("summary", {}, make("span", { class: "mono", text: `${short}:${frame.line}`, title: frame.file }), ` in ${frame.function}`,
          make("span", { class: "only mono", text: frame.text })), code)));
    });
    return list;
  };

  // ---- one node

  JX.nodeDetails = function (model, id, pick, toggle) {
    const data = model.data, node = data.nodes[id];
    const kinds = { op: "op", pylayer: "PyLayer", leaf: "leaf", input: "input" };
    const head = make("header", {}, make("h2", { class: "mono", id: "details-title", text: node.name }),
      make("p", { class: "tags" }, make("span", { class: `tag ${node.kind}`, text: kinds[node.kind] }),
        node.grad_name ? make("span", { class: "mono", text: node.grad_name }) : null,
        node.pointer ? make("span", { class: "mono quiet", text: node.pointer }) : null));
    const parts = [head];
    const path = model.pathOf(node.group);
    if (path.length) {
      const crumbs = make("p", { class: "crumbs" });
      path.forEach((group, k) => {
        if (k) crumbs.append(" › ");
        crumbs.append(make("button", { class: "link", text: data.groups[group].name, title: data.groups[group].type, onclick: () => pick(`g${group}`) }));
      });
      parts.push(crumbs);
    }
    for (const problem of data.problems.filter((each) => each.node === id)) {
      parts.push(make("p", { class: `problem ${problem.kind}`, text: problem.text }));
    }
    if (node.error && !data.problems.some((each) => each.node === id && each.kind === "error")) {
      parts.push(make("pre", { class: "problem error", text: node.error }));
    }
    const times = make("dl", { class: "figures" });
    for (const [name, text] of [["forward", JX.time(node.forward_us)], ["backward", JX.time(node.backward_us)],
      ["output", JX.bytes(node.bytes)], ["saved", JX.bytes(node.saved_bytes)]]) {
      times.append(make("div", {}, make("dt", { text: name }), make("dd", { text })));
    }
    if (node.kind === "op" || node.kind === "pylayer") parts.push(times);
    if (node.is_compiled) parts.push(quiet("A kernel was compiled or loaded for this node; the times leave that out, as far as it is known."));
    if (node.attrs) parts.push(make("p", { class: "mono attrs", text: node.attrs }));
    parts.push(section("Forward stack", node.stack === null
      ? quiet("Not known: record the run, or set FLAGS_call_stack_level=3 before the forward.") : JX.stackOf(data, node.stack)));
    if (node.caller !== null) parts.push(section("Differentiated here", JX.stackOf(data, node.caller)));
    parts.push(section("Gradient that arrived", ...(node.gradients.length ? node.gradients.map(valueBlock) : [quiet("None: backward has not come here, or was not looked at.")])));
    if (node.kind === "op" || node.kind === "pylayer") parts.push(savedSection(data, node));
    if (node.outputs.length) parts.push(section(node.kind === "op" || node.kind === "pylayer" ? "Output" : "Value", ...node.outputs.map(valueBlock)));
    parts.push(neighbours(model, node, pick));
    parts.push(section("Log", node.log.length ? make("pre", { class: "log", text: node.log.join("\n") })
      : quiet("No lines: record with log=3 or more, or give explore the log of the run.")));
    return parts;
  };

  function savedSection(data, node) {
    if (!node.saved.length) return section("Saved for backward", quiet("Nothing, or it was let go."));
    return section("Saved for backward", ...node.saved.map((saved) => {
      const version = saved.is_stale ? `saved at version ${saved.version}, now ${saved.now}` : `version ${saved.version}`;
      return make("div", { class: saved.is_stale ? "value stale" : "value" },
        make("p", { class: "mono name", text: saved.tensor ? `${saved.name} = ${saved.tensor}` : saved.name }),
        make("p", { class: "mono quiet", text: `${aval(saved)}, ${JX.bytes(saved.bytes)}` }),
        make("p", { class: saved.is_stale ? "version problem stale" : "version", text: version }),
        saved.writer ? make("div", {}, make("p", { text: `Last written by ${saved.writer.op}, here:` }), JX.stackOf(data, saved.writer.stack)) : null,
        make("details", {}, make("summary", { text: "Figures" }), figuresOf(saved.figures)));
    }));
  }

  function neighbours(model, node, pick) {
    const rows = (title, numbers, end) => {
      if (!numbers.length) return null;
      const list = make("ul", { class: "neighbours" });
      for (const number of numbers.slice(0, 40)) {
        const edge = model.data.edges[number], other = model.data.nodes[edge[end]];
        const norm = edge.figures ? `, gradient norm ${JX.number(edge.figures.norm)}` : "";
        const isBad = edge.figures && (edge.figures.nan || edge.figures.inf);
        list.append(make("li", { class: isBad ? "bad" : null }, make("button", { class: "link mono", text: other.name, onclick: () => pick(`n${other.id}`) }),
          make("span", { class: "quiet", text: ` ${aval(edge)}${norm}` })));
      }
      return make("div", {}, make("h4", { text: title }), list);
    };
    return section("Connected with", rows("Takes from", model.out[node.id], "target"), rows("Is taken by", model.into[node.id], "source"));
  }

  // ---- one group

  JX.groupDetails = function (model, group, pick, toggle) {
    const known = model.data.groups[group], inside = model.nodesIn(group);
    const sum = (mode) => inside.reduce((total, node) => total + (model.valueOf(node, mode) || 0), 0);
    const isFolded = model.folded.has(group);
    const figures = make("dl", { class: "figures" });
    for (const [name, text] of [["nodes", String(inside.length)], ["forward", JX.time(sum("forward"))],
      ["backward", JX.time(sum("backward"))], ["saved", JX.bytes(sum("bytes"))]]) {
      figures.append(make("div", {}, make("dt", { text: name }), make("dd", { text })));
    }
    const problems = model.data.problems.filter((each) => inside.includes(each.node)).slice(0, 20);
    const kind = { layer: "Layer", pylayer: "PyLayer", function: "function" }[known.kind];
    return [make("header", {}, make("h2", { class: "mono", id: "details-title", text: known.name }),
      make("p", { class: "tags" }, make("span", { class: "tag group", text: kind }), make("span", { class: "mono", text: known.type }))),
    make("p", {}, make("button", { class: "button", id: "toggle-group", text: isFolded ? "Unfold" : "Fold", onclick: () => toggle(`g${group}`) })),
    figures,
    ...problems.map((problem) => make("button", { class: `problem ${problem.kind}`, text: problem.text, onclick: () => pick(`n${problem.node}`) })),
    section("Inside", make("ul", { class: "neighbours" }, ...model.within[group].map((each) => make("li", {},
      make("button", { class: "link mono", text: model.data.groups[each].name, onclick: () => pick(`g${each}`) }),
      make("span", { class: "quiet", text: ` ${model.data.groups[each].type}, ${model.total[each]} nodes` }))),
    ...model.members[group].slice(0, 60).map((each) => make("li", {},
      make("button", { class: "link mono", text: model.data.nodes[each].name, onclick: () => pick(`n${each}`) })))))];
  };
})();
