// The page: the selection, the folded groups, and how keys, search and outline change them.
"use strict";

(function () {
  const began = performance.now();
  const make = JX.make, byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const model = new JX.Model(data);
  let picked = null, finding = -1;

  const panes = { f: null, b: null };
  const boxes = { f: byId("forward"), b: byId("backward") };
  const FEWEST_FOR_MAP = 60;  // nodes: smaller graphs fit into their pane
  let focus = null;  // {key, steps} while only a neighbourhood is shown

  // ---- selection

  function pick(key, { from = null, focusTree = false } = {}) {
    if (key !== null) {
      if (model.near && !model.nodesOf(key).some((node) => model.near.has(node))) focusOn(null);
      const number = Number(key.slice(1));
      const around = key[0] === "n" ? data.nodes[number].group : data.groups[number].parent;
      const hidden = model.pathOf(around).filter((group) => model.folded.has(group));
      if (hidden.length) {
        hidden.forEach((group) => model.folded.delete(group));
        drawBoth(null);
      }
    }
    picked = key;
    byId("focus").disabled = key === null && !focus;
    for (const [name, pane] of Object.entries(panes)) {
      if (!pane) continue;
      pane.pick(key);
      if (key !== null && name !== from) pane.bringIntoView(key);
    }
    showDetails();
    drawTree(focusTree);
    if (key !== null) say(describe(key));
    if (history.replaceState) history.replaceState(null, "", key === null ? "#" : `#${key}`);
  }

  function toggle(key) {
    if (key === null || key[0] !== "g") return;
    const group = Number(key.slice(1));
    if (!model.folded.delete(group)) model.folded.add(group);
    drawBoth(key);
    pick(key);
    say(`${data.groups[group].name} ${model.folded.has(group) ? "folded" : "unfolded"}`);
  }

  function openTo(level) {
    model.openTo(level);
    if (picked !== null) picked = shownOf(picked);
    drawBoth(null);
    for (const pane of Object.values(panes)) if (pane) pane.firstView();
    pick(picked);
    say(level === 0 ? "All folded" : level >= model.levels() ? "All unfolded" : `Open to level ${level}`);
  }

  function shownOf(key) {  // the element itself, or the outermost folded group around it
    const number = Number(key.slice(1));
    const folded = model.pathOf(key[0] === "n" ? data.nodes[number].group : number).find((group) => model.folded.has(group));
    return folded === undefined ? key : `g${folded}`;
  }

  // Shows only what is near an element; with null shows all again.
  function focusOn(key, steps = 2) {
    focus = key === null ? null : { key, steps };
    model.near = key === null ? null : model.neighbourhood(key, steps);
    byId("focus-bar").hidden = key === null;
    byId("focus").setAttribute("aria-pressed", String(key !== null));
    drawBoth(null);
    for (const pane of Object.values(panes)) if (pane) pane.firstView();
    if (key === null) return "All nodes are shown";
    const number = Number(key.slice(1));
    const name = key[0] === "g" ? data.groups[number].name : data.nodes[number].name;
    const text = `Only what is within ${steps} ${steps === 1 ? "step" : "steps"} of ${name}: ${model.near.size} nodes`;
    byId("focus-text").textContent = text;
    byId("focus-less").disabled = steps === 1;
    byId("focus-more").disabled = model.near.size === data.nodes.length;
    return text;
  }

  function setFocus(key, steps) {
    const text = focusOn(key, steps);
    pick(picked);
    say(text);
  }

  function toggleFocus() {  // of another node: goes there
    if (picked === null && !focus) say("Pick a node first");
    else if (picked === null || (focus && picked === focus.key)) setFocus(null);
    else setFocus(picked, focus ? focus.steps : 2);
  }

  function describe(key) {
    const number = Number(key.slice(1));
    if (key[0] === "g") return `${data.groups[number].name}, ${data.groups[number].type}, ${model.total[number]} nodes, ${model.folded.has(number) ? "folded" : "open"}`;
    const node = data.nodes[number];
    const path = model.pathOf(node.group).map((group) => data.groups[group].name);
    const bad = data.problems.filter((each) => each.node === number).map((each) => each.text);
    return [node.name, node.kind, path.length ? `in ${path.join(", ")}` : "", ...bad].filter(Boolean).join(", ");
  }

  const say = (text) => { byId("said").textContent = text; };

  function showDetails() {
    const box = byId("details");
    if (picked === null) box.replaceChildren(...overview());
    else if (picked[0] === "n") box.replaceChildren(...JX.nodeDetails(model, Number(picked.slice(1)), pick, toggle));
    else box.replaceChildren(...JX.groupDetails(model, Number(picked.slice(1)), pick, toggle));
    box.scrollTop = 0;
  }

  function top(mode) {
    const known = data.nodes.filter((node) => node.kind !== "input" && model.valueOf(node.id, mode));
    return known.sort((a, b) => model.valueOf(b.id, mode) - model.valueOf(a.id, mode)).slice(0, 5);
  }

  function overview() {
    const parts = [make("h2", { id: "details-title", text: "Pick a node" }),
      make("p", { class: "quiet", text: "Click a node in either graph, search its unique name or pointer, or go through the outline. It is shown here: where it was recorded, what it saved, its gradients." })];
    for (const note of data.notes) parts.push(make("p", { class: "problem note", text: note }));
    for (const [mode, title, text] of [["backward", "Slowest in backward", JX.time], ["forward", "Slowest in forward", JX.time],
      ["bytes", "Most saved for backward", JX.bytes], ["norm", "Largest gradients", JX.number]]) {
      const list = top(mode);
      if (list.length) {
        parts.push(make("section", { class: "part" }, make("h3", { text: title }), make("ol", { class: "neighbours" },
          ...list.map((node) => make("li", { class: "ranked" }, make("button", { class: "link mono", text: node.name, onclick: () => pick(`n${node.id}`) }),
            make("span", { class: "quiet mono", text: text(model.valueOf(node.id, mode)) }))))));
      }
    }
    if (data.log.length) parts.push(make("section", { class: "part" }, make("h3", { text: "Log lines of no node" }), make("pre", { class: "log", text: data.log.join("\n") })));
    return parts;
  }

  // ---- drawing

  function drawBoth(anchor) {
    for (const pane of Object.values(panes)) {
      if (!pane) continue;
      pane.draw(anchor);
      pane.pick(picked);
    }
    showLegend(byId("colour").value);
  }

  function fit() {
    for (const pane of Object.values(panes)) if (pane) pane.fit();
  }

  function makePane(name) {
    const pane = new JX.Pane(model, name, boxes[name], (key) => pick(key, { from: name }), toggle);
    panes[name] = pane;
    pane.draw(null, name === "f");
    pane.firstView();
    const canvas = byId(name === "f" ? "forward-map" : "backward-map");
    if (data.nodes.length < FEWEST_FOR_MAP) canvas.parentElement.classList.add("unused");
    else pane.map = new JX.Map(pane, canvas);
    const empty = byId(name === "f" ? "forward-empty" : "backward-empty");
    empty.hidden = pane.cy.nodes().length > 0;
    return pane;
  }

  function showHead() {
    const count = (kind) => data.nodes.filter((node) => kind.includes(node.kind)).length;
    document.title = `${data.title} · graph explorer`;
    byId("title").textContent = data.title;
    byId("summary").textContent = `${count(["op", "pylayer"])} ops, ${count(["leaf"])} leaves, ${data.edges.length} tensors passed on · ${data.made.replace("T", " ").slice(0, 16)}`;
    const box = byId("problems");
    if (data.problems.length) {
      box.replaceChildren(make("h2", { id: "problems-title", text: data.problems.length === 1 ? "1 finding" : `${data.problems.length} findings` }),
        make("ul", {}, ...data.problems.slice(0, 100).map((problem) => make("li", {}, make("button", { class: `problem ${problem.kind}`, text: problem.text, onclick: () => pick(`n${problem.node}`) })))));
    }
  }

  function showLegend(mode) {
    const at = JX.colour;
    const swatch = (name, text) => make("span", {}, make("span", { class: "swatch", style: `background:${at(`--${name}-fill`)};border-color:${at(`--${name}-line`)}` }), text);
    const box = byId("legend");
    if (mode === "kind") {
      box.replaceChildren(swatch("op", "op"), swatch("group", "folded Layer or function"), swatch("pylayer", "PyLayer"), swatch("leaf", "leaf"), swatch("input", "input"),
        make("span", {}, make("span", { class: "swatch", style: `border:2px solid ${at("--bad")}` }), "a finding"));
      return;
    }
    const range = model.range(mode);
    const text = { bytes: JX.bytes, norm: JX.number, forward: JX.time, backward: JX.time }[mode];
    if (!range) {
      box.replaceChildren(make("span", { text: { norm: "No gradients are known.", bytes: "No saved tensors are known.", forward: "No forward times: they are taken by jaxeager.debug.record().", backward: "No backward times are known." }[mode] }));
      return;
    }
    const scale = make("span", { class: "scale", "aria-hidden": "true" }, ...Array.from({ length: JX.STEPS }, (_, k) => make("i", { style: `background:${at(`--step-${k}`)}` })));
    box.replaceChildren(make("span", {}, text(range[0]), scale, text(range[1])), swatch("none", "not known"), make("span", { text: "steps are equal by magnitude; of a folded box the sum, of norms the largest" }));
  }

  // ---- outline: the same graph as a tree, for screen readers

  const MOST_ROWS = 200;
  const more = new Set();

  function drawTree(takesFocus) {
    const tree = byId("tree");
    const top = data.nodes.filter((node) => node.group === null).map((node) => `n${node.id}`);
    const groups = data.groups.map((group, id) => id).filter((id) => data.groups[id].parent === null).map((id) => `g${id}`);
    tree.replaceChildren(...rows(null, [...groups, ...top], 1));
    const current = tree.querySelector('[aria-selected="true"]') || tree.querySelector("li");
    if (current) {
      current.tabIndex = 0;
      if (takesFocus) current.focus();
      if (picked !== null) current.scrollIntoView({ block: "nearest" });
    }
  }

  function rows(parent, keys, level) {
    const name = parent === null ? "top" : parent;
    let shown = more.has(name) ? keys : keys.slice(0, MOST_ROWS);
    if (picked !== null && keys.includes(picked) && !shown.includes(picked)) shown = [...shown, picked];
    const list = shown.map((key) => row(key, level));
    if (shown.length < keys.length) {
      list.push(make("li", { role: "none" }, make("button", { class: "link", text: `${keys.length - shown.length} more`, onclick: () => { more.add(name); drawTree(false); } })));
    }
    return list;
  }

  function row(key, level) {
    const number = Number(key.slice(1)), isGroup = key[0] === "g";
    const isOpen = isGroup && !model.folded.has(number);
    const bad = model.worst(key);
    const line = make("div", { class: "row", onclick: () => pick(key), ondblclick: () => toggle(key) },
      make("span", { class: "twist", "aria-hidden": "true", text: isGroup ? (isOpen ? "▾" : "▸") : "" }),
      make("span", { class: "name", text: model.name(key, "f") }),
      make("span", { class: "type", text: isGroup ? data.groups[number].type : data.nodes[number].kind === "op" ? "" : data.nodes[number].kind }),
      bad ? make("span", { class: "bad", text: "●", title: "a finding" }) : null);
    line.firstChild.addEventListener("click", (event) => { event.stopPropagation(); toggle(key); });
    const item = make("li", { role: "treeitem", tabindex: -1, "data-key": key, "aria-level": level,
      "aria-selected": key === picked ? "true" : "false", "aria-expanded": isGroup ? String(isOpen) : null, "aria-label": describe(key) }, line);
    if (isOpen) {
      const inside = [...model.within[number].map((each) => `g${each}`), ...model.members[number].map((each) => `n${each}`)];
      item.append(make("ul", { role: "group" }, ...rows(key, inside, level + 1)));
    }
    return item;
  }

  byId("tree").addEventListener("keydown", (event) => {
    const item = event.target.closest('[role="treeitem"]');
    if (!item) return;
    const items = [...byId("tree").querySelectorAll('[role="treeitem"]')], at = items.indexOf(item), key = item.dataset.key;
    const isOpen = item.getAttribute("aria-expanded");
    const go = (to) => { if (to) pick(to.dataset.key, { focusTree: true }); };
    const actions = {
      ArrowDown: () => go(items[at + 1]), ArrowUp: () => go(items[at - 1]), Home: () => go(items[0]), End: () => go(items[items.length - 1]),
      ArrowRight: () => { if (isOpen === "false") { toggle(key); drawTree(true); } else if (isOpen === "true") go(items[at + 1]); },
      ArrowLeft: () => { if (isOpen === "true") { toggle(key); drawTree(true); } else go(item.parentElement.closest('[role="treeitem"]')); },
      Enter: () => { if (isOpen !== null) { toggle(key); drawTree(true); } else { pick(key); byId("details").focus(); } },
      " ": () => pick(key, { focusTree: true }),
    };
    if (actions[event.key]) {
      event.preventDefault();
      event.stopPropagation();
      actions[event.key]();
    }
  });

  // ---- search

  const search = byId("search"), results = byId("results");
  let found = [], chosen = -1;
  const texts = data.nodes.map((node) => [node.name, node.grad_name, node.pointer, node.op, ...node.outputs.map((each) => each.name), ...node.saved.map((each) => each.tensor), ...node.gradients.map((each) => each.name)].filter(Boolean).join("\n").toLowerCase());
  const groupTexts = data.groups.map((group) => `${group.name}\n${group.type}`.toLowerCase());

  function rankOf(name, text, wanted) {
    const own = name.toLowerCase();
    if (own === wanted || text.split("\n").includes(wanted)) return 0;
    if (own.startsWith(wanted)) return 1;
    return text.includes(wanted) ? 2 : -1;
  }

  function look() {
    const wanted = search.value.trim().toLowerCase();
    found = [];
    if (wanted) {
      data.nodes.forEach((node, id) => {
        const rank = rankOf(node.name, texts[id], wanted);
        if (rank >= 0) found.push([rank, `n${id}`]);
      });
      data.groups.forEach((group, id) => {
        const rank = rankOf(group.name, groupTexts[id], wanted);
        if (rank >= 0) found.push([rank + 0.5, `g${id}`]);
      });
      found.sort((a, b) => a[0] - b[0]);
    }
    const total = found.length;
    found = found.slice(0, 50).map((each) => each[1]);
    chosen = found.length ? 0 : -1;
    const list = found.map((key, k) => {
      const number = Number(key.slice(1)), node = key[0] === "n" ? data.nodes[number] : null;
      const side = node ? [node.grad_name, node.pointer].filter(Boolean).join("  ") : data.groups[number].type;
      return make("li", { role: "option", id: `result-${k}`, "aria-selected": k === chosen ? "true" : "false", onmousedown: (event) => { event.preventDefault(); take(k); } },
        make("span", { class: "mono", text: node ? node.name : data.groups[number].name }), " ", make("span", { class: "quiet mono", text: side }));
    });
    if (wanted && !total) list.push(make("li", { class: "none", text: "Nothing has this name or pointer." }));
    if (total > found.length) list.push(make("li", { class: "none", text: `${total - found.length} more` }));
    results.replaceChildren(...list);
    results.hidden = !wanted;
    search.setAttribute("aria-expanded", String(Boolean(wanted)));
    mark();
    if (wanted) say(total === 1 ? "1 result" : `${total} results`);
  }

  function mark() {
    [...results.querySelectorAll('[role="option"]')].forEach((item, k) => {
      item.setAttribute("aria-selected", String(k === chosen));
      if (k === chosen) item.scrollIntoView({ block: "nearest" });
    });
    if (chosen >= 0) search.setAttribute("aria-activedescendant", `result-${chosen}`);
    else search.removeAttribute("aria-activedescendant");
  }

  function take(k) {
    const key = found[k];
    closeResults();
    search.blur();  // so that keys act on the selection
    if (key !== undefined) pick(key);
  }

  function closeResults() {
    results.hidden = true;
    search.setAttribute("aria-expanded", "false");
  }

  search.addEventListener("input", look);
  search.addEventListener("blur", closeResults);
  search.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && found.length) {
      event.preventDefault();
      chosen = (chosen + step + found.length) % found.length;
      mark();
    } else if (event.key === "Enter" && chosen >= 0) {
      event.preventDefault();
      take(chosen);
    } else if (event.key === "Escape") {
      event.stopPropagation();
      search.value = "";
      closeResults();
      search.blur();
    }
  });

  // ---- keys and buttons

  function onPaneKey(name, event) {
    const pane = panes[name];
    const arrows = { ArrowDown: "down", ArrowUp: "up", ArrowLeft: "left", ArrowRight: "right" };
    if (arrows[event.key]) {
      const here = picked !== null && pane.cy.getElementById(picked).length ? picked : null;
      const first = pane.cy.nodes().not(".open")[0];
      const next = here ? pane.neighbour(here, arrows[event.key]) : first && first.id();
      if (next) pick(next);
    } else if (event.key === "Enter" && picked !== null) {
      if (picked[0] === "g") toggle(picked);
      else byId("details").focus();
    } else if (event.key === "+" || event.key === "=") zoom(pane, 1.3);
    else if (event.key === "-") zoom(pane, 1 / 1.3);
    else if (event.key === "0") pane.fit();
    else return;
    event.preventDefault();
  }

  const zoom = (pane, by) => pane.cy.zoom({ level: pane.cy.zoom() * by, renderedPosition: { x: pane.cy.width() / 2, y: pane.cy.height() / 2 } });

  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, select, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
    const actions = {
      "/": () => search.focus(),
      "?": () => byId("keys-dialog").showModal(),
      d: () => byId("details").focus(),
      n: () => {
        if (!data.problems.length) return;
        finding = (finding + 1) % data.problems.length;
        pick(`n${data.problems[finding].node}`);
      },
      f: () => {
        if (picked === null) return;
        const number = Number(picked.slice(1));
        const group = picked[0] === "g" ? number : data.nodes[number].group;
        if (group !== null && !model.folded.has(group)) toggle(`g${group}`);
      },
      o: toggleFocus,
      Escape: () => pick(null),
    };
    if (actions[event.key]) {
      event.preventDefault();
      actions[event.key]();
    }
  });
  for (const name of ["f", "b"]) boxes[name].addEventListener("keydown", (event) => onPaneKey(name, event));
  const levelName = (level) => (level === 0 ? "Fold all" : level === model.levels() ? "Unfold all" : `Unfold ${level} of ${model.levels()} levels`);
  byId("levels").replaceChildren(make("option", { text: "Unfold", value: "" }),
    ...Array.from({ length: model.levels() + 1 }, (_, level) => make("option", { value: level, text: levelName(level) })));
  byId("levels").addEventListener("change", (event) => {
    if (event.target.value !== "") openTo(Number(event.target.value));
    event.target.value = "";  // a name of an action, not of a state: single Layers fold too
  });
  byId("focus").addEventListener("click", toggleFocus);
  byId("focus-less").addEventListener("click", () => setFocus(focus.key, focus.steps - 1));
  byId("focus-more").addEventListener("click", () => setFocus(focus.key, focus.steps + 1));
  byId("focus-end").addEventListener("click", () => setFocus(null));
  byId("levels").hidden = data.groups.length === 0;
  byId("fit").addEventListener("click", fit);
  byId("keys").addEventListener("click", () => byId("keys-dialog").showModal());
  byId("colour").addEventListener("change", (event) => {
    for (const pane of Object.values(panes)) if (pane) pane.recolour(event.target.value);
    showLegend(event.target.value);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const pane of Object.values(panes)) if (pane) pane.restyle();
    showLegend(byId("colour").value);
  });

  function pickAddress() {  // of a file that was written again, it may name what is not there
    const key = location.hash.slice(1);
    if (/^[ng]\d+$/.test(key) && model.has(key)) pick(key);
  }

  // ---- first view: the text first, then the graphs, the second after the first

  showHead();
  showLegend("kind");
  showDetails();
  drawTree(false);
  makePane("f").cy.one("render", () => {
    JX.firstPaint = performance.now();
    setTimeout(() => {
      panes.f.finish();
      makePane("b");
      pickAddress();
      window.addEventListener("hashchange", pickAddress);
      JX.ready = performance.now();
    }, 0);
  });
  JX.page = { model, panes, pick, toggle, picked: () => picked, began };
})();
