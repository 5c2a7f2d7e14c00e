// The layout: each open group is laid out separately, then its box within its parent.
// dagre lays out small groups; larger ones are placed in rows by the distance from the top.
"use strict";
var JX = window.JX || {};
window.JX = JX;

(function () {
  const MOST_FOR_DAGRE = 220;
  const GAP_X = 26, GAP_Y = 46, PAD = 20, TITLE = 18;

  JX.AROUND = PAD + TITLE;  // what an open group adds above its members

  // items: [{id, w, h, parent}], groups first known by isGroup; links: [[from, to]] between items.
  // Returns {id: {x, y}}, the centres of all items that are not open groups.
  JX.layout = function (items, links) {
    const byId = new Map(items.map((item) => [item.id, item]));
    const children = new Map();
    for (const item of items) {
      const parent = item.parent === undefined ? null : item.parent;
      if (!children.has(parent)) children.set(parent, []);
      children.get(parent).push(item);
    }
    const pathOf = (id) => {
      const path = [];
      for (let at = byId.get(id); at; at = byId.get(at.parent)) path.push(at.id);
      return path.reverse();
    };
    const paths = new Map();
    const cached = (id) => {
      if (!paths.has(id)) paths.set(id, pathOf(id));
      return paths.get(id);
    };
    const within = new Map();
    for (const [from, to] of links) {
      const a = cached(from), b = cached(to);
      let depth = 0;
      while (depth < a.length && depth < b.length && a[depth] === b[depth]) depth += 1;
      if (depth >= a.length || depth >= b.length) continue;
      const group = depth ? a[depth - 1] : null;
      if (!within.has(group)) within.set(group, []);
      within.get(group).push([a[depth], b[depth]]);
    }
    const placed = new Map();
    const arrange = (group) => {
      const members = children.get(group) || [];
      for (const item of members) {
        if (item.isOpen) {
          const inner = arrange(item.id);
          item.w = Math.max(inner.w + 2 * PAD, item.titleWidth);
          item.h = inner.h + 2 * PAD + TITLE;
        }
      }
      const edges = within.get(group) || [];
      const box = members.length > MOST_FOR_DAGRE ? inRows(members, edges) : byDagre(members, edges);
      placed.set(group, box);
      return box;
    };
    arrange(null);
    const found = {};
    const settle = (group, x, y) => {
      const at = placed.get(group).at;
      for (const item of children.get(group) || []) {
        const spot = { x: x + at.get(item.id).x, y: y + at.get(item.id).y };
        if (item.isOpen) settle(item.id, spot.x, spot.y + TITLE / 2);
        else found[item.id] = spot;
      }
    };
    settle(null, 0, 0);
    return found;
  };

  // Equal layers of a model are laid out once: members of the same sizes with the same arrows.
  const known = new Map();
  const STEP = 24;  // names of equal layers have other numbers, so widths are compared in steps

  function byDagre(members, edges) {
    const number = new Map(members.map((item, k) => [item.id, k]));
    const sizes = members.map((item) => [Math.ceil(item.w / STEP) * STEP, item.h]);
    const arrows = edges.map(([from, to]) => [number.get(from), number.get(to)]);
    const key = JSON.stringify([sizes, arrows]);
    if (!known.has(key)) known.set(key, spotsOf(sizes, arrows));
    const spots = known.get(key);
    return centred(members, (id) => spots[number.get(id)]);
  }

  function spotsOf(sizes, arrows) {
    const graph = new dagre.graphlib.Graph({ multigraph: false });
    graph.setGraph({ rankdir: "TB", nodesep: GAP_X, ranksep: GAP_Y, marginx: 0, marginy: 0,
      ranker: sizes.length > 60 ? "longest-path" : "network-simplex" });
    graph.setDefaultEdgeLabel(() => ({}));
    sizes.forEach(([width, height], k) => graph.setNode(String(k), { width, height }));
    for (const [from, to] of arrows) graph.setEdge(String(from), String(to));
    dagre.layout(graph);
    return sizes.map((_, k) => ({ x: graph.node(String(k)).x, y: graph.node(String(k)).y }));
  }

  function inRows(members, edges) {
    const next = new Map(members.map((item) => [item.id, []]));
    const before = new Map(members.map((item) => [item.id, []]));
    for (const [from, to] of edges) {
      next.get(from).push(to);
      before.get(to).push(from);
    }
    const waiting = new Map(members.map((item) => [item.id, before.get(item.id).length]));
    const rank = new Map();
    const ready = members.filter((item) => !waiting.get(item.id)).map((item) => item.id);
    for (let k = 0; k < ready.length || rank.size < members.length; k += 1) {
      if (k >= ready.length) {  // a cycle: break it at its first member
        ready.push(members.find((item) => !rank.has(item.id) && !ready.includes(item.id)).id);
      }
      const id = ready[k];
      if (rank.has(id)) continue;
      rank.set(id, Math.max(0, ...before.get(id).map((each) => (rank.has(each) ? rank.get(each) + 1 : 0))));
      for (const each of next.get(id)) {
        waiting.set(each, waiting.get(each) - 1);
        if (waiting.get(each) === 0) ready.push(each);
      }
    }
    // Items without predecessors are placed right above their successors, not all in the first row.
    for (const item of members) {
      if (!before.get(item.id).length && next.get(item.id).length) {
        rank.set(item.id, Math.max(0, Math.min(...next.get(item.id).map((each) => rank.get(each))) - 1));
      }
    }
    const rows = [];
    for (const item of members) {
      const at = rank.get(item.id);
      (rows[at] = rows[at] || []).push(item);
    }
    const x = new Map();
    const spread = (row) => {
      const width = row.reduce((sum, item) => sum + item.w + GAP_X, -GAP_X);
      let left = -width / 2;
      for (const item of row) {
        x.set(item.id, left + item.w / 2);
        left += item.w + GAP_X;
      }
    };
    rows.forEach(spread);
    for (let sweep = 0; sweep < 4; sweep += 1) {
      const near = sweep % 2 ? next : before;
      for (const row of sweep % 2 ? [...rows].reverse() : rows) {
        if (!row || row.length < 2) continue;
        const wish = new Map(row.map((item) => {
          const known = near.get(item.id);
          const sum = known.reduce((total, each) => total + x.get(each), 0);
          return [item.id, known.length ? sum / known.length : x.get(item.id)];
        }));
        row.sort((a, b) => wish.get(a.id) - wish.get(b.id));
        spread(row);
      }
    }
    const at = new Map();
    let y = 0;
    for (const row of rows) {
      if (!row) continue;
      const height = Math.max(...row.map((item) => item.h));
      for (const item of row) at.set(item.id, { x: x.get(item.id), y: y + height / 2 });
      y += height + GAP_Y;
    }
    return centred(members, (id) => at.get(id));
  }

  function centred(members, spotOf) {
    let left = Infinity, right = -Infinity, top = Infinity, bottom = -Infinity;
    for (const item of members) {
      const spot = spotOf(item.id);
      left = Math.min(left, spot.x - item.w / 2);
      right = Math.max(right, spot.x + item.w / 2);
      top = Math.min(top, spot.y - item.h / 2);
      bottom = Math.max(bottom, spot.y + item.h / 2);
    }
    const at = new Map();
    for (const item of members) {
      const spot = spotOf(item.id);
      at.set(item.id, { x: spot.x - (left + right) / 2, y: spot.y - (top + bottom) / 2 });
    }
    return members.length ? { w: right - left, h: bottom - top, at } : { w: 0, h: 0, at };
  }

  // The extent of a drawing: its sides.
  JX.extentOf = function (items, at, depthOf) {
    let extent = null;
    for (const item of items) {
      const spot = at[item.id];
      if (!spot) continue;
      const around = depthOf(item.id) * JX.AROUND;
      if (!extent) extent = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity, first: spot };
      extent.left = Math.min(extent.left, spot.x - item.w / 2 - around);
      extent.right = Math.max(extent.right, spot.x + item.w / 2 + around);
      extent.top = Math.min(extent.top, spot.y - item.h / 2 - around);
      extent.bottom = Math.max(extent.bottom, spot.y + item.h / 2 + around);
      if (spot.y < extent.first.y) extent.first = spot;
    }
    return extent;
  };

  // The upper left corner of a part of a size: the first that has half as many elements as any.
  JX.crowdedPart = function (spots, width, height) {
    const cells = new Map();
    const cellOf = (spot) => [Math.floor((2 * spot.x) / width), Math.floor((2 * spot.y) / height)];
    for (const spot of spots) {
      const [column, row] = cellOf(spot);
      for (const right of [0, 1]) {
        for (const down of [0, 1]) {
          const key = `${column - right},${row - down}`;
          cells.set(key, (cells.get(key) || 0) + 1);
        }
      }
    }
    const parts = [...cells].map(([key, count]) => [...key.split(",").map(Number), count]);
    const enough = parts.reduce((most, part) => Math.max(most, part[2]), 0) / 2;
    const [column, row] = parts.filter((part) => part[2] >= enough).sort((a, b) => a[1] - b[1] || b[2] - a[2])[0];
    const left = (column * width) / 2, top = (row * height) / 2;
    const within = spots.filter(({ x, y }) => x >= left && x < left + width && y >= top && y < top + height);
    const xs = within.map((spot) => spot.x), highest = Math.min(...within.map((spot) => spot.y));
    return { x: (Math.min(...xs) + Math.max(...xs) - width) / 2, y: highest - 0.12 * height };
  };
})();
