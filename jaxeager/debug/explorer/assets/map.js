// The map of a pane: the whole drawing in a strip, each direction with a scale of its own.
"use strict";

(function () {
  const EDGE = 4, LABEL = 11;  // the margin, and the height of a line of text

  JX.Map = class {
    constructor(pane, canvas) {
      this.pane = pane;
      this.canvas = canvas;
      this.image = document.createElement("canvas");
      pane.cy.on("viewport resize", () => this.frame());
      canvas.addEventListener("pointerdown", (event) => {
        canvas.setPointerCapture(event.pointerId);
        this.goTo(event);
      });
      canvas.addEventListener("pointermove", (event) => {
        if (canvas.hasPointerCapture(event.pointerId)) this.goTo(event);
      });
      new ResizeObserver(() => this.draw()).observe(canvas);
    }

    // Draws the elements; frame() adds where the pane is.
    draw() {
      const { extent } = this.pane;
      this.width = this.canvas.clientWidth;
      this.height = this.canvas.clientHeight;
      if (!extent || !this.width) return;
      const ratio = window.devicePixelRatio || 1;
      for (const canvas of [this.canvas, this.image]) {
        canvas.width = this.width * ratio;
        canvas.height = this.height * ratio;
      }
      this.scaleX = (this.width - 2 * EDGE) / Math.max(1, extent.right - extent.left);
      this.scaleY = (this.height - 2 * EDGE) / Math.max(1, extent.bottom - extent.top);
      const ink = this.image.getContext("2d");
      ink.scale(ratio, ratio);
      const boxes = this.boxes();
      for (const box of boxes) {
        ink.strokeStyle = JX.colour("--group-line");
        if (box.isOpen) ink.strokeRect(box.x, box.y, box.w, box.h);
      }
      for (const spot of this.pane.spots) {
        const { x, y } = this.placeOf(spot.x - spot.w / 2, spot.y - spot.h / 2);
        const isBad = spot.worst !== "";
        ink.fillStyle = isBad ? JX.colour("--bad") : spot.ink;
        const height = Math.max(isBad ? 3 : 1.5, spot.h * this.scaleY * 0.7);
        ink.fillRect(isBad ? EDGE : x, y, isBad ? this.width - 2 * EDGE : Math.max(2, spot.w * this.scaleX), height);
      }
      this.label(ink, boxes);
      this.frame();
    }

    // The open groups and the folded ones, in places of the map.
    boxes() {
      return [...this.pane.groupBoxes.values()].map((box) => {
        const { x, y } = this.placeOf(box.left, box.top);
        return { ...box, x, y, w: (box.right - box.left) * this.scaleX, h: (box.bottom - box.top) * this.scaleY };
      });
    }

    // Names of groups, and of those within a tall group, as far as they have room.
    label(ink, boxes) {
      ink.font = `10px ${JX.colour("--mono")}`;
      ink.textBaseline = "top";
      const named = (parent) => boxes.filter((box) => box.parent === parent).flatMap((box) => {
        const hasMembers = boxes.some((each) => each.parent === box.key);
        return hasMembers && box.h > 6 * LABEL ? [box, ...named(box.key)] : [box];
      });
      let end = 0;
      for (const box of named(null).sort((a, b) => a.y - b.y)) {
        const from = Math.min(box.y, this.height - LABEL);
        if (from < end) continue;
        end = from + LABEL;
        ink.fillStyle = JX.colour("--panel");
        ink.globalAlpha = 0.8;
        ink.fillRect(EDGE, from, Math.min(ink.measureText(box.name).width + 4, this.width - 2 * EDGE), LABEL);
        ink.globalAlpha = 1;
        ink.fillStyle = JX.colour("--text");
        ink.fillText(box.name, EDGE + 2, from + 1, this.width - 2 * EDGE);
      }
    }

    // Shows which part of the drawing is in the pane, and the selection.
    frame() {
      if (!this.scaleX) return;
      const ink = this.canvas.getContext("2d"), ratio = window.devicePixelRatio || 1;
      ink.setTransform(1, 0, 0, 1, 0, 0);
      ink.clearRect(0, 0, this.canvas.width, this.canvas.height);
      ink.drawImage(this.image, 0, 0);
      ink.scale(ratio, ratio);
      const shown = this.pane.cy.extent();
      const from = this.placeOf(shown.x1, shown.y1), to = this.placeOf(shown.x2, shown.y2);
      const left = Math.max(1, from.x), top = Math.max(1, from.y);
      const right = Math.min(this.width - 1, to.x), bottom = Math.min(this.height - 1, to.y);
      ink.lineWidth = 2;
      ink.strokeStyle = JX.colour("--accent");
      ink.fillStyle = JX.colour("--accent");
      ink.globalAlpha = 0.12;
      ink.fillRect(left, top, Math.max(4, right - left), Math.max(4, bottom - top));
      ink.globalAlpha = 1;
      ink.strokeRect(left, top, Math.max(4, right - left), Math.max(4, bottom - top));
      const picked = this.pane.cy.elements("node.picked");
      if (picked.length) {
        const { y } = this.placeOf(0, picked.position("y"));
        ink.fillRect(0, y - 1.5, this.width, 3);
      }
    }

    placeOf(x, y) {
      const { left, top } = this.pane.extent;
      return { x: EDGE + (x - left) * this.scaleX, y: EDGE + (y - top) * this.scaleY };
    }

    goTo(event) {
      const { left, right, top, bottom } = this.pane.extent, { cy } = this.pane, zoom = cy.zoom();
      const within = (low, value, high) => Math.min(high, Math.max(low, value));
      const x = within(left, left + (event.offsetX - EDGE) / this.scaleX, right);
      const y = within(top, top + (event.offsetY - EDGE) / this.scaleY, bottom);
      cy.pan({ x: cy.width() / 2 - x * zoom, y: cy.height() / 2 - y * zoom });
    }
  };
})();
