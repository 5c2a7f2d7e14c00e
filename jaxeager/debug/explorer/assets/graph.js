// The graph: its visible elements with these groups folded, its colours, and its two drawings.
"use strict";

(function () {
  const CHARACTER = 7.3, HEIGHT = 32;
  const MOST_AT_ONCE = 2000;  // elements that are drawn quickly
  const LEGIBLE = 0.3, READABLE = 0.8;  // scales: at the first, names can be told apart
  const FIRST_VISIBLE = 90;  // nodes shown at first, if folding can reduce them so far
  const FEWEST_AT_FIRST = 8, MOST_AT_FIRST = 400;  // a model is not one box if its parts can be shown

  JX.Model = class {
    constructor(data) {
      this.data = data;
      this.folded = new Set();
      this.near = null;  // the nodes of the neighbourhood that is shown; null when all are
      this.members = data.groups.map(() => []);
      this.within = data.groups.map(() => []);
      this.total = data.groups.map(() => 0);
      this.path = data.groups.map(() => null);
      data.groups.forEach((group, id) => {
        if (group.parent !== null) this.within[group.parent].push(id);
      });
      for (const node of data.nodes) {
        if (node.group === null) continue;
        this.members[node.group].push(node.id);
        for (const group of this.pathOf(node.group)) this.total[group] += 1;
      }
      this.badNodes = new Map();
      for (const problem of data.problems) {
        if (!this.badNodes.has(problem.node)) this.badNodes.set(problem.node, problem.kind);
      }
      this.out = data.nodes.map(() => []);
      this.into = data.nodes.map(() => []);
      data.edges.forEach((edge, number) => {
        this.out[edge.source].push(number);
        this.into[edge.target].push(number);
      });
      this.foldAtFirst();
    }

    pathOf(group) {  // a group and the groups that contain it, the outermost first
      if (group === null) return [];
      if (!this.path[group]) {
        this.path[group] = [...this.pathOf(this.data.groups[group].parent), group];
      }
      return this.path[group];
    }

    foldAtFirst() {
      this.data.groups.forEach((group, id) => this.folded.add(id));
      let shown = this.data.nodes.filter((node) => node.group === null).length;
      let level = this.data.groups.map((group, id) => id).filter((id) => this.data.groups[id].parent === null);
      shown += level.length;
      while (level.length) {
        const next = level.flatMap((id) => this.within[id]);
        const gained = level.reduce((sum, id) => sum + this.members[id].length, 0) + next.length - level.length;
        if (shown + gained > (shown > FEWEST_AT_FIRST ? FIRST_VISIBLE : MOST_AT_FIRST)) break;
        level.forEach((id) => this.folded.delete(id));
        shown += gained;
        level = next;
      }
    }

    shownAs(node) {  // the key of the element that shows a node: a folded group around it, or the node
      for (const group of this.pathOf(this.data.nodes[node].group)) {
        if (this.folded.has(group)) return `g${group}`;
      }
      return `n${node}`;
    }

    openTo(level) {  // groups in less than this number of others are open
      this.data.groups.forEach((group, id) => (this.pathOf(id).length <= level ? this.folded.delete(id) : this.folded.add(id)));
    }

    levels() {
      return this.data.groups.reduce((most, group, id) => Math.max(most, this.pathOf(id).length), 0);
    }

    neighbourhood(key, steps) {  // the nodes of an element, and those within this number of edges
      const number = Number(key.slice(1));
      const near = new Set(key[0] === "n" ? [number] : this.nodesIn(number));
      let last = [...near];
      for (let step = 0; step < steps; step += 1) {
        const next = new Set();
        for (const node of last) {
          for (const number of this.out[node]) next.add(this.data.edges[number].target);
          for (const number of this.into[node]) next.add(this.data.edges[number].source);
        }
        last = [...next].filter((node) => !near.has(node));
        last.forEach((node) => near.add(node));
      }
      return near;
    }

    nodesIn(group) {
      return [...this.members[group], ...this.within[group].flatMap((each) => this.nodesIn(each))];
    }

    nodesOf(key) {  // without those that are not near, while only a neighbourhood is shown
      const number = Number(key.slice(1));
      const nodes = key[0] === "n" ? [number] : this.nodesIn(number);
      return this.near ? nodes.filter((node) => this.near.has(node)) : nodes;
    }

    sizeOf(group) {
      return this.near ? this.nodesOf(`g${group}`).length : this.total[group];
    }

    has(key) {
      const number = Number(key.slice(1));
      return number < (key[0] === "n" ? this.data.nodes : this.data.groups).length;
    }

    name(key, pane) {  // short: the surrounding groups show the rest
      const number = Number(key.slice(1)), groups = this.data.groups;
      const known = key[0] === "g" ? groups[number] : this.data.nodes[number];
      if (key[0] === "n" && pane === "b" && known.kind !== "leaf" && known.grad_name) return known.grad_name;
      const around = key[0] === "g" ? known.parent : known.group;
      const prefix = around === null ? "" : `${groups[around].name}.`;
      return prefix && known.name.startsWith(prefix) ? known.name.slice(prefix.length) : known.name;
    }

    worst(key) {
      const kinds = new Set(this.nodesOf(key).map((node) => this.badNodes.get(node)).filter(Boolean));
      return ["error", "stale", "nan", "inf"].find((kind) => kinds.has(kind)) || "";
    }

    // ---- colours

    valueOf(node, mode) {
      const known = this.data.nodes[node];
      if (mode === "forward") return known.forward_us;
      if (mode === "backward") return known.backward_us;
      if (mode === "bytes") return known.saved_bytes;
      if (mode === "norm") {
        const norms = known.gradients.map((each) => each.figures && each.figures.norm).filter((each) => each !== null && each !== undefined);
        return norms.length ? Math.max(...norms) : null;
      }
      return null;
    }

    valueAt(key, mode) {
      const values = this.nodesOf(key).map((node) => this.valueOf(node, mode)).filter((each) => each !== null);
      if (!values.length) return null;
      return mode === "norm" ? Math.max(...values) : values.reduce((sum, each) => sum + each, 0);
    }

    range(mode) {  // of what is shown: a folded group has the sum of its nodes
      const keys = new Set(this.data.nodes.filter((node) => !this.near || this.near.has(node.id)).map((node) => this.shownAs(node.id)));
      const values = [...keys].map((key) => this.valueAt(key, mode)).filter((each) => each !== null && each > 0);
      return values.length ? [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))] : null;
    }

    stepOf(value, range, steps) {  // by magnitude: numbers of a graph span many powers of ten
      if (value === null || !range) return null;
      if (value <= 0) return 0;
      const [low, high] = range;
      const part = high > low ? (Math.log(value) - Math.log(low)) / (Math.log(high) - Math.log(low)) : 1;
      return Math.max(0, Math.min(steps - 1, Math.floor(part * steps)));
    }

    // ---- the drawing in one of the panes

    elements(pane) {
      const groups = new Map(), nodes = new Map(), links = new Map();
      const visible = (node) => node.passes.includes(pane) && (!this.near || this.near.has(node.id));
      for (const node of this.data.nodes) {
        if (!visible(node)) continue;
        const key = this.shownAs(node.id);
        if (!nodes.has(key)) {
          const path = this.pathOf(key[0] === "g" ? this.data.groups[Number(key.slice(1))].parent : node.group);
          for (const group of path) groups.set(`g${group}`, group);
          nodes.set(key, path.length ? `g${path[path.length - 1]}` : null);
        }
      }
      this.data.edges.forEach((edge, number) => {
        const { source, target } = edge;
        if (!edge.passes.includes(pane) || !visible(this.data.nodes[source]) || !visible(this.data.nodes[target])) return;
        let from = this.shownAs(source), to = this.shownAs(target);
        if (from === to) return;
        if (pane === "f") [from, to] = [to, from];
        const key = `${pane}:${from}>${to}`;
        if (!links.has(key)) links.set(key, { from, to, edges: [] });
        links.get(key).edges.push(number);
      });
      return { groups, nodes, links };
    }
  };

  // An arrow is bent around elements between its ends.
  function bendOf(from, to) {
    const down = Math.abs(to.y - from.y), aside = Math.abs(to.x - from.x);
    return down > 130 && aside < 70 ? Math.min(230, 70 + down * 0.14) : 0;
  }

  // Returns a function that returns whether an element is near a spot; open groups always are.
  function nearTo(spot, elements) {
    const near = new Set();
    for (const { group, data, position } of elements) {
      if (group === "nodes" && (!position || (Math.abs(position.x - spot.x) < 1200 && position.y - spot.y < 1500))) near.add(data.id);
    }
    return ({ group, data }) => (group === "nodes" ? near.has(data.id) : near.has(data.source) && near.has(data.target));
  }

  JX.colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  JX.widthOf = (text) => Math.min(300, Math.max(58, text.length * CHARACTER + 24));

  JX.Pane = class {
    constructor(model, pane, box, onPick, onToggle) {
      this.model = model;
      this.pane = pane;
      this.box = box;
      this.mode = "kind";
      this.map = null;  // a JX.Map, for a graph that does not fit into the pane
      this.cy = cytoscape({
        container: box, elements: [], layout: { name: "preset" }, minZoom: 0.02, maxZoom: 3,
        boxSelectionEnabled: false, autounselectify: true,
        autoungrabify: true, style: this.style(),
        textureOnViewport: model.data.nodes.length > 1500, hideEdgesOnViewport: false,
        pixelRatio: model.data.nodes.length > 3000 ? 1 : "auto", motionBlur: false,
      });
      this.cy.on("tap", "node", (event) => onPick(event.target.id()));
      this.cy.on("dbltap", "node", (event) => onToggle(event.target.id()));
      this.cy.on("tap", (event) => {
        if (event.target === this.cy) onPick(null);
      });
    }

    style() {
      const at = JX.colour;
      const font = { "font-family": at("--mono"), "font-size": 12 };
      return [
        { selector: "node", style: {
          ...font, label: "data(label)", width: "data(w)", height: "data(h)", shape: "round-rectangle",
          "text-valign": "center", "text-halign": "center", "background-color": "data(fill)",
          color: "data(ink)", "border-width": 1, "border-color": "data(line)",
          "text-max-width": "data(w)", "text-wrap": "ellipsis", "min-zoomed-font-size": 5 } },
        { selector: "node.leaf", style: { shape: "round-tag" } },
        { selector: "node.leaf, node.input", style: { shape: "cut-rectangle" } },
        { selector: "node.pylayer", style: { "border-style": "double", "border-width": 4 } },
        { selector: "node.folded", style: { "border-width": 2, "border-style": "solid", "font-weight": 600 } },
        { selector: "node.open", style: {
          "text-valign": "top", "text-halign": "center", "text-margin-y": -3, "background-opacity": 0.55,
          "background-color": at("--group"), "border-color": at("--group-line"), "border-width": 1,
          color: at("--muted"), "font-weight": 600, padding: 20, "text-max-width": 600,
          "padding-relative-to": "average", "compound-sizing-wrt-labels": "exclude" } },
        { selector: "node.stale, node.error, node.nan, node.inf", style: {
          "border-width": 3, "border-color": at("--bad") } },
        { selector: "node.inf", style: { "border-color": at("--warn") } },
        { selector: "edge", style: {
          width: 1.2, "line-color": at("--edge"), "target-arrow-color": at("--edge"),
          "target-arrow-shape": "triangle", "arrow-scale": 0.8, "curve-style": "data(curve)",
          ...font, "font-size": 10.5, color: at("--muted"), "text-background-color": at("--canvas"),
          "text-background-opacity": 0.9, "text-background-padding": 2, "min-zoomed-font-size": 6 } },
        { selector: "edge.long", style: {
          "curve-style": "unbundled-bezier", "control-point-distances": "data(bend)", "control-point-weights": 0.5 } },
        { selector: "edge.near", style: {
          label: "data(label)", "line-color": at("--accent"), "target-arrow-color": at("--accent"),
          width: 2, "z-index": 9 } },
        { selector: "edge.bad", style: { "line-color": at("--bad"), "target-arrow-color": at("--bad"), width: 2 } },
        { selector: "node.picked", style: {
          "overlay-color": at("--accent"), "overlay-opacity": 0.18, "overlay-padding": 6,
          "border-color": at("--accent"), "border-width": 3 } },
      ];
    }

    labelOf(key) {
      const name = this.model.name(key, this.pane);
      if (key[0] === "n") return name;
      const number = Number(key.slice(1)), group = this.model.data.groups[number];
      const type = group.kind === "layer" ? ` ${group.type}` : "";
      return `▸ ${name}${type} (${this.model.sizeOf(number)})`;
    }

    depthOf(id, parents, nodes) {
      let depth = 0;
      for (let at = nodes.get(id); at; at = parents.get(at)) depth += 1;
      return depth;
    }

    // With isFirst draws only elements near the upper end, to show them immediately; finish() follows.
    draw(anchor, isFirst = false) {
      const before = anchor && this.cy.getElementById(anchor).length ? this.cy.getElementById(anchor).renderedPosition() : null;
      const { groups, nodes, links } = this.model.elements(this.pane);
      const items = [], parents = new Map();
      for (const [key, group] of groups) {
        const parent = this.model.data.groups[group].parent;
        parents.set(key, parent === null ? null : `g${parent}`);
        const title = this.titleOf(group);
        items.push({ id: key, parent: parents.get(key), isOpen: true, titleWidth: title.length * CHARACTER + 30 });
      }
      for (const [key, parent] of nodes) {
        items.push({ id: key, parent, w: JX.widthOf(this.labelOf(key)), h: HEIGHT });
      }
      const at = JX.layout(items, [...links.values()].map((link) => [link.from, link.to]));
      this.extent = JX.extentOf(items, at, (id) => this.depthOf(id, parents, nodes));
      this.spots = [];
      this.scale = this.mode === "kind" ? null : this.model.range(this.mode);
      const isCrowd = links.size > 700;
      const elements = [];
      for (const [key, group] of groups) {
        elements.push({ group: "nodes", classes: `open ${this.model.data.groups[group].kind}`, data: {
          id: key, parent: parents.get(key) || undefined, label: this.titleOf(group), w: 1, h: 1,
          fill: "#888", ink: "#888", line: "#888" } });
      }
      for (const item of items) {
        if (item.isOpen) continue;
        const key = item.id, isGroup = key[0] === "g";
        const kind = isGroup ? "folded" : this.model.data.nodes[Number(key.slice(1))].kind;
        const worst = this.model.worst(key), colours = this.paint(key);
        this.spots.push({ ...item, ...at[key], worst, ink: this.inkOf(colours) });
        elements.push({ group: "nodes", classes: `${kind} ${worst}`, position: at[key], data: {
          id: key, parent: item.parent || undefined, label: this.labelOf(key), w: item.w, h: item.h, ...colours } });
      }
      this.groupBoxes = this.boxesOf(parents);
      for (const [key, link] of links) {
        const edges = link.edges.map((number) => this.model.data.edges[number]);
        const isBad = edges.some((edge) => edge.figures && (edge.figures.nan || edge.figures.inf));
        const bend = bendOf(at[link.from], at[link.to]);
        elements.push({ group: "edges", classes: `${isBad && this.pane === "b" ? "bad" : ""} ${bend ? "long" : ""}`, data: {
          id: key, source: link.from, target: link.to, curve: isCrowd ? "straight" : "bezier", bend,
          label: JX.edgeLabel(edges) } });
      }
      const isNow = isFirst && elements.length > MOST_AT_ONCE ? nearTo(this.extent.first, elements) : () => true;
      this.later = elements.filter((element) => !isNow(element));
      this.cy.batch(() => {
        this.cy.elements().remove();
        this.cy.add(elements.filter(isNow));
      });
      if (before) {
        const shown = this.cy.getElementById(anchor);
        if (shown.length) {
          const now = shown.renderedPosition();
          this.cy.panBy({ x: before.x - now.x, y: before.y - now.y });
        }
      }
      if (this.map) this.map.draw();
    }

    // The boxes of open groups, from their members, and of folded ones; by key.
    boxesOf(parents) {
      const boxes = new Map();
      const grow = (key, spot, isOpen) => {
        if (!boxes.has(key)) boxes.set(key, { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity, isOpen, key, parent: this.parentOf(key), name: this.model.name(key, this.pane) });
        const box = boxes.get(key);
        box.left = Math.min(box.left, spot.x - spot.w / 2);
        box.right = Math.max(box.right, spot.x + spot.w / 2);
        box.top = Math.min(box.top, spot.y - spot.h / 2);
        box.bottom = Math.max(box.bottom, spot.y + spot.h / 2);
      };
      for (const spot of this.spots) {
        if (spot.id[0] === "g") grow(spot.id, spot, false);
        for (let group = spot.parent; group; group = parents.get(group)) grow(group, spot, true);
      }
      return boxes;
    }

    parentOf(key) {
      const { parent } = this.model.data.groups[Number(key.slice(1))];
      return parent === null ? null : `g${parent}`;
    }

    inkOf({ fill, line }) {  // the colour of an element in the map
      return this.mode === "kind" ? line : fill;
    }

    finish() {
      const later = this.later || [];
      this.later = [];
      if (later.length) this.cy.batch(() => this.cy.add(later));
    }

    titleOf(group) {
      const { type, kind } = this.model.data.groups[group], name = this.model.name(`g${group}`);
      return kind === "pylayer" ? `${name} PyLayer` : `${name}  ${type}`;
    }

    paint(key) {
      const at = JX.colour;
      if (this.mode === "kind") {
        const isGroup = key[0] === "g";
        const kind = isGroup ? "group" : this.model.data.nodes[Number(key.slice(1))].kind;
        return { fill: at(`--${kind}-fill`), ink: at(`--${kind}-ink`), line: at(`--${kind}-line`) };
      }
      const step = this.model.stepOf(this.model.valueAt(key, this.mode), this.scale, JX.STEPS);
      if (step === null) return { fill: at("--none-fill"), ink: at("--muted"), line: at("--none-line") };
      return { fill: at(`--step-${step}`), ink: at(`--step-ink-${step}`), line: at("--step-line") };
    }

    recolour(mode) {
      this.mode = mode;
      this.scale = mode === "kind" ? null : this.model.range(mode);
      this.cy.batch(() => {
        this.cy.nodes().forEach((node) => {
          if (!node.hasClass("open")) node.data(this.paint(node.id()));
        });
      });
      for (const spot of this.spots) spot.ink = this.inkOf(this.paint(spot.id));
      if (this.map) this.map.draw();
    }

    restyle() {
      this.cy.style(this.style());
      this.recolour(this.mode);
    }

    pick(key) {
      this.cy.batch(() => {
        this.cy.elements(".picked").removeClass("picked");
        this.cy.elements(".near").removeClass("near");
        const shown = key === null ? null : this.cy.getElementById(key);
        if (shown && shown.length) {
          shown.addClass("picked");
          shown.connectedEdges().addClass("near");
        }
      });
      if (this.map) this.map.frame();
    }

    bringIntoView(key) {
      const shown = this.cy.getElementById(key);
      if (!shown.length) return;
      if (this.cy.zoom() < 0.45) this.cy.zoom(0.9);
      const spot = shown.renderedPosition(), width = this.cy.width(), height = this.cy.height();
      if (spot.x < 40 || spot.y < 40 || spot.x > width - 40 || spot.y > height - 40) this.cy.center(shown);
    }

    // The whole drawing, or as much of its width as can be read, from the upper end: the map shows the
    // rest. Uses our own extent: the library would inspect every label and every curve to find it.
    fit(most = 1.5) {
      if (!this.extent) return;
      const { left, right, top, bottom } = this.extent;
      const width = this.cy.width(), height = this.cy.height();
      const across = width / (right - left + 40), down = height / (bottom - top + 40);
      if (Math.min(across, down) >= LEGIBLE) {
        const zoom = Math.min(most, across, down);
        this.cy.viewport({ zoom, pan: {
          x: width / 2 - zoom * (left + right) / 2, y: height / 2 - zoom * (top + bottom) / 2 } });
        return;
      }
      const zoom = Math.min(READABLE, Math.max(LEGIBLE, across));
      if (across >= LEGIBLE) {
        this.cy.viewport({ zoom, pan: { x: width / 2 - zoom * (left + right) / 2, y: 20 - zoom * top } });
        return;
      }
      const part = JX.crowdedPart(this.spots, width / zoom, height / zoom);
      this.cy.viewport({ zoom, pan: { x: -part.x * zoom, y: -part.y * zoom } });
    }

    firstView() {
      if (!this.extent) return;
      this.fit(1.1);
      if (this.cy.zoom() < 0.5) {  // too small to read: begin where the first elements are
        const part = JX.crowdedPart(this.spots, this.cy.width() / READABLE, this.cy.height() / READABLE);
        this.cy.viewport({ zoom: READABLE, pan: { x: -part.x * READABLE, y: -part.y * READABLE } });
      }
    }

    neighbour(key, direction) {  // the nearest one along an edge, or next to it
      const shown = this.cy.getElementById(key);
      if (!shown.length) return null;
      if (shown.isParent()) {  // an open group: its first member, or what it is in
        if (direction === "up") return shown.parent().length ? shown.parent().id() : null;
        return shown.children().min((node) => node.position("y")).ele.id();
      }
      const here = shown.position();
      const choices = direction === "down" ? shown.outgoers("node")
        : direction === "up" ? shown.incomers("node")
          : this.cy.nodes().not(".open").filter((node) => Math.abs(node.position("y") - here.y) < 24
            && (direction === "left" ? node.position("x") < here.x : node.position("x") > here.x));
      let best = null;
      choices.forEach((node) => {
        const spot = node.position();
        const away = Math.hypot(spot.x - here.x, spot.y - here.y);
        if (!best || away < best.away) best = { away, id: node.id() };
      });
      return best && best.id;
    }
  };

  JX.STEPS = 6;

  JX.edgeLabel = function (edges) {
    const texts = [...new Set(edges.map((edge) => (edge.shape ? `${edge.dtype || ""}[${edge.shape.join(", ")}]` : edge.name)))];
    return texts.length > 2 ? `${edges.length} tensors` : texts.join(", ");
  };
})();
