// The script of a report. Everything can be read without it; it adds what a page can do and paper cannot: values under
// the pointer, series to hide, tables to sort. It keeps nothing, loads nothing, and builds text as text, never as markup.
"use strict";
(() => {
  const root = document.documentElement;

  function make(tag, className, text) {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  }

  function makeButton(className, text, action) {
    const button = make("button", className, text);
    button.type = "button";
    button.addEventListener("click", action);
    return button;
  }

  const spoken = make("div", "spoken");
  spoken.setAttribute("role", "status");
  document.body.append(spoken);

  // --- Light and dark ---

  function addThemeButton() {
    const system = matchMedia("(prefers-color-scheme: dark)");
    const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
    const name = () => { button.textContent = isDark() ? "Light page" : "Dark page"; };
    const button = makeButton("tool theme", "", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      name();
    });
    system.addEventListener("change", name);
    name();
    document.body.prepend(button);
  }

  // --- The command ---

  async function copy(code) {
    const text = code.textContent;
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Browsers that keep the clipboard from local files still copy a selection.
      const selection = getSelection();
      selection.selectAllChildren(code);
      return document.execCommand("copy");
    }
  }

  function addCopyButton(box) {
    const code = box.querySelector("code");
    let back;
    const button = makeButton("tool copy", "Copy", async () => {
      const done = await copy(code);
      button.textContent = done ? "Copied" : "Selected";
      spoken.textContent = done ? "Command copied" : "Command selected";
      clearTimeout(back);
      back = setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    box.append(button);
  }

  // --- Tables ---

  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  /** What a cell is sorted by: a number, a text, or null for what comes last in either direction. */
  function sortKey(cell, numeric) {
    const value = cell.dataset.value;
    if (value !== undefined) return value === "" ? null : Number(value);
    const text = cell.textContent.trim();
    return numeric || text === "" ? null : text;
  }

  function compareKeys(a, b) {
    const texts = (typeof a === "string") - (typeof b === "string");
    if (texts !== 0) return texts;
    return typeof a === "string" ? collator.compare(a, b) : a - b;
  }

  function makeSortable(table) {
    const body = table.tBodies[0];
    const headers = [...table.tHead.rows[0].cells];
    const asGiven = [...body.rows];

    function sortBy(index) {
      const header = headers[index];
      const down = header.getAttribute("aria-sort") === "ascending";
      const numeric = header.classList.contains("number");
      const keyed = asGiven.map((row) => ({ row, key: sortKey(row.cells[index], numeric) }));
      keyed.sort((a, b) => {
        if (a.key === null || b.key === null) return (a.key === null) - (b.key === null);
        return down ? compareKeys(b.key, a.key) : compareKeys(a.key, b.key);
      });
      body.append(...keyed.map((entry) => entry.row));
      for (const other of headers) other.removeAttribute("aria-sort");
      header.setAttribute("aria-sort", down ? "descending" : "ascending");
      spoken.textContent = `Sorted by ${header.textContent}, ${down ? "descending" : "ascending"}`;
    }

    headers.forEach((header, index) => {
      const button = makeButton("", undefined, () => sortBy(index));
      button.append(...header.childNodes);
      header.append(button);
    });
  }

  // --- The box with the values of a point ---

  const tooltip = make("div", "tooltip");
  tooltip.hidden = true;
  // Points have the same as their label.
  tooltip.setAttribute("aria-hidden", "true");
  document.body.append(tooltip);
  let shownPoint = null;

  function hideTooltip() {
    tooltip.hidden = true;
    shownPoint?.classList.remove("near");
    shownPoint = null;
  }

  /** What a point says: its series, its panel, and the sentence that the chart wrote for it. */
  function describe(point) {
    const series = point.closest(".series").dataset.series;
    const place = point.closest(".panel")?.dataset.panel ?? "";
    const sentence = point.querySelector("title")?.textContent ?? "";
    const known = `${series}: `;
    return { series, place, text: sentence.startsWith(known) ? sentence.slice(known.length) : sentence };
  }

  /** The same as one sentence. */
  function spell({ series, place, text }) {
    return [series, place, text].filter((part) => part !== "").join(", ");
  }

  function colourOf(point) {
    const style = getComputedStyle(point);
    return point.classList.contains("hollow") || style.fill === "none" ? style.stroke : style.fill;
  }

  function showTooltip(point, { series, place, text }) {
    hideTooltip();
    tooltip.replaceChildren();
    if (series) {
      const name = make("b");
      const swatch = make("i");
      swatch.style.background = colourOf(point);
      name.append(swatch, series);
      tooltip.append(name);
    }
    if (place) tooltip.append(make("p", "", place));
    tooltip.append(make("p", "plain", text));
    point.classList.add("near");
    shownPoint = point;
    tooltip.hidden = false;
    moveTooltip(point.getBoundingClientRect());
  }

  /** Above the point where there is room, below it otherwise, and never beyond the page. */
  function moveTooltip(target) {
    const box = tooltip.getBoundingClientRect();
    const gap = 12;
    const middle = target.left + target.width / 2 - box.width / 2;
    const left = Math.max(8, Math.min(middle, root.clientWidth - box.width - 8));
    const above = target.top - box.height - gap;
    const top = above >= 4 ? above : target.bottom + gap;
    tooltip.style.left = `${left + scrollX}px`;
    tooltip.style.top = `${top + scrollY}px`;
  }

  // --- Figures: what has a title says it in the page's box, also under a finger ---

  function tellTitles(svg) {
    for (const title of svg.querySelectorAll("title")) {
      const owner = title.parentElement;
      if (owner === svg || owner.matches(".series .point")) continue;
      owner.classList.add("told");
      owner.setAttribute("aria-label", title.textContent);
      // The browser would show it on top of the page's own box.
      title.remove();
    }
    const follow = (event) => {
      const told = event.target.closest(".told");
      if (!told) {
        if (shownPoint?.matches(".told")) hideTooltip();
      } else if (told !== shownPoint) {
        showTooltip(told, { series: "", place: "", text: told.getAttribute("aria-label") });
      }
    };
    svg.addEventListener("pointermove", follow);
    svg.addEventListener("pointerdown", follow);
    svg.addEventListener("pointerleave", (event) => {
      // A finger leaves as soon as it is lifted; what it tapped stays until the next tap.
      if (event.pointerType !== "touch") hideTooltip();
    });
  }

  // --- Charts: points and series ---

  function makeLive(svg) {
    const groups = [...svg.querySelectorAll(".series")];
    const entries = [...svg.querySelectorAll(".legend-entry")];
    const points = [...svg.querySelectorAll(".series .point")];
    if (points.length === 0 && entries.length === 0) return;
    svg.classList.add("live");
    // As one image its parts would be hidden from those who hear the page.
    svg.setAttribute("role", "group");

    const isOn = (point) => !point.closest(".series").classList.contains("off");
    const descriptions = new Map(points.map((point) => [point, describe(point)]));
    for (const [point, description] of descriptions) {
      point.setAttribute("role", "img");
      point.setAttribute("aria-label", spell(description));
      point.querySelector("title")?.remove();
    }

    // The pointer need not hit a point: the nearest one within reach counts.
    let places = null;
    let placesWidth = 0;
    function nearest(event) {
      const frame = svg.getBoundingClientRect();
      if (places === null || placesWidth !== frame.width) {
        placesWidth = frame.width;
        places = points.filter(isOn).map((point) => {
          const box = point.getBoundingClientRect();
          return { point, x: (box.left + box.right) / 2 - frame.left, y: (box.top + box.bottom) / 2 - frame.top };
        });
      }
      const reach = event.pointerType === "touch" ? 36 : 26;
      let best = null;
      let bestDistance = reach;
      for (const { point, x, y } of places) {
        const distance = Math.hypot(event.clientX - frame.left - x, event.clientY - frame.top - y);
        if (distance < bestDistance) [best, bestDistance] = [point, distance];
      }
      return best;
    }

    function follow(event) {
      const direct = event.target.closest(".series .point");
      if (!direct && event.target.closest(".told")) return;
      const point = direct ?? (event.target.closest(".legend-entry") ? null : nearest(event));
      if (point === null) hideTooltip();
      else if (point !== shownPoint) showTooltip(point, descriptions.get(point));
    }
    svg.addEventListener("pointermove", follow);
    svg.addEventListener("pointerdown", follow);

    // One stop of the tab key per chart; from there the arrow keys go along the series and across.
    function setStop(stop) {
      for (const point of points) point.setAttribute("tabindex", point === stop ? "0" : "-1");
    }
    const centre = (point) => {
      const box = point.getBoundingClientRect();
      return (box.left + box.right) / 2;
    };
    function neighbour(point, key) {
      const own = point.closest(".series");
      const along = [...own.querySelectorAll(".point")];
      const place = along.indexOf(point);
      if (key === "ArrowRight") return along[place + 1];
      if (key === "ArrowLeft") return along[place - 1];
      if (key === "Home") return along[0];
      if (key === "End") return along.at(-1);
      const shown = groups.filter((group) => !group.classList.contains("off") && group.querySelector(".point"));
      const other = shown[shown.indexOf(own) + (key === "ArrowDown" ? 1 : -1)];
      if (!other) return undefined;
      const x = centre(point);
      return [...other.querySelectorAll(".point")].reduce((best, candidate) =>
        Math.abs(centre(candidate) - x) < Math.abs(centre(best) - x) ? candidate : best);
    }
    const keys = ["ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown", "Home", "End"];
    for (const point of points) {
      point.addEventListener("focus", () => showTooltip(point, descriptions.get(point)));
      point.addEventListener("blur", () => {
        // A tap beside another point has already shown that one.
        if (shownPoint === point) hideTooltip();
      });
      point.addEventListener("keydown", (event) => {
        if (!keys.includes(event.key)) return;
        event.preventDefault();
        const next = neighbour(point, event.key);
        if (!next) return;
        setStop(next);
        next.focus();
      });
    }
    setStop(points[0]);

    // The legend switches series on and off.
    const names = [...new Set(entries.map((entry) => entry.dataset.series))];
    const off = new Set();
    const all = makeButton("tool show-all", "Show all", () => {
      off.clear();
      update();
    });
    function update() {
      for (const group of groups) group.classList.toggle("off", off.has(group.dataset.series));
      for (const entry of entries) entry.setAttribute("aria-pressed", String(!off.has(entry.dataset.series)));
      all.hidden = off.size === 0;
      places = null;
      hideTooltip();
      setStop(points.find(isOn));
    }
    function toggle(name) {
      if (!off.delete(name)) off.add(name);
      update();
    }
    function showOnly(name) {
      const alone = !off.has(name) && off.size === names.length - 1;
      off.clear();
      if (!alone) for (const other of names) if (other !== name) off.add(other);
      update();
    }
    for (const entry of entries) {
      const name = entry.dataset.series;
      entry.setAttribute("role", "button");
      entry.setAttribute("tabindex", "0");
      // Nothing waits for a second click: when it comes, it takes back the first. Not every phone counts taps.
      let last = -Infinity;
      entry.addEventListener("click", (event) => {
        const second = event.detail === 2 || event.timeStamp - last < 350;
        last = second ? -Infinity : event.timeStamp;
        if (second) toggle(name);
        if (second || event.shiftKey) showOnly(name);
        else toggle(name);
      });
      entry.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        if (event.shiftKey) showOnly(name);
        else toggle(name);
      });
      const dim = (on) => {
        for (const group of groups) group.classList.toggle("dim", on && group.dataset.series !== name);
      };
      entry.addEventListener("pointerenter", (event) => dim(event.pointerType === "mouse" && !off.has(name)));
      entry.addEventListener("pointerleave", () => dim(false));
    }

    toolsOf(svg).append(all);
    update();
  }

  /** The place for buttons in the figure of an element. */
  function toolsOf(element) {
    const figure = element.closest("figure");
    let tools = figure.querySelector(".chart-tools");
    if (!tools) figure.append(tools = make("div", "chart-tools"));
    return tools;
  }

  /** On small screens figures keep their size, in a box that scrolls; a button shows the whole figure at once. */
  function addFitButton(chart) {
    const button = makeButton("tool fit", "Fit the page", () => {
      const fitted = chart.classList.toggle("fitted");
      button.textContent = fitted ? "Larger" : "Fit the page";
      hideTooltip();
    });
    toolsOf(chart).append(button);
  }

  /** On small screens a chart that was drawn narrow, too, is shown so; everywhere else as ever. */
  function chooseDrawing(chart) {
    const template = chart.querySelector("template");
    if (!template) return;
    const wide = chart.querySelector("svg");
    const narrow = template.content.firstElementChild;
    template.remove();
    chart.classList.add("drawn-narrow");
    const small = matchMedia("screen and (max-width: 40rem)");
    const known = new Set();
    const choose = () => {
      const [shown, other] = small.matches ? [narrow, wide] : [wide, narrow];
      if (other.isConnected) other.replaceWith(shown);
      if (known.has(shown)) return;
      known.add(shown);
      tellTitles(shown);
      if (shown.matches(".srrd-chart")) makeLive(shown);
    };
    small.addEventListener("change", choose);
    choose();
  }

  /** A box that scrolls sideways says so: it fades where there is more, and a line beside it says what to do. */
  function showScrolling(box) {
    const hint = make("p", "hint scrolling", "Scroll sideways to see the rest.");
    // Below a long table nobody would see it.
    if (box.matches(".table-box")) box.before(hint);
    else box.after(hint);
    function update() {
      const rest = box.scrollWidth - box.clientWidth;
      // Sizes are rounded, and a pixel is not worth a word.
      hint.hidden = rest <= 1;
      box.classList.toggle("more-left", rest > 1 && box.scrollLeft > 1);
      box.classList.toggle("more-right", rest > 1 && box.scrollLeft < rest - 1);
    }
    box.addEventListener("scroll", () => {
      update();
      hideTooltip();
    }, { passive: true });
    const sizes = new ResizeObserver(update);
    sizes.observe(box);
    sizes.observe(box.firstElementChild);
    update();
  }

  /** How a chart is used is said once, below the first. */
  function addHint() {
    const chart = document.querySelector(".chart:has(.live)");
    if (!chart) return;
    const touch = matchMedia("(hover: none)").matches;
    const values = `${touch ? "Tap" : "Point at"} a mark for its values.`;
    const legend = touch ? "Tap a name in the legend to hide its series, twice to see it alone."
      : "Click a name in the legend to hide its series, double-click to see it alone.";
    chart.after(make("p", "hint", chart.querySelector(".legend-entry") ? `${values} ${legend}` : values));
  }

  // --- Contents: the section that is being read ---

  function followSections(nav) {
    const links = new Map([...nav.querySelectorAll("a")].map((link) => [link.hash.slice(1), link]));
    const sections = [...document.querySelectorAll("main > section")].filter((section) => links.has(section.id));
    function mark() {
      const line = innerHeight / 3;
      const read = sections.findLast((section) => section.getBoundingClientRect().top <= line) ?? sections[0];
      for (const [id, link] of links) {
        if (id === read?.id) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    }
    addEventListener("scroll", mark, { passive: true });
    mark();
  }

  // --- Print: nothing stays folded ---

  function unfoldForPrint() {
    let opened = [];
    addEventListener("beforeprint", () => {
      opened = [...document.querySelectorAll("details:not([open])")];
      for (const details of opened) details.open = true;
    });
    addEventListener("afterprint", () => {
      for (const details of opened) details.open = false;
    });
  }

  addThemeButton();
  document.querySelectorAll(".command").forEach(addCopyButton);
  document.querySelectorAll("table.sortable").forEach(makeSortable);
  document.querySelectorAll(".chart").forEach(chooseDrawing);
  document.querySelectorAll(".chart:not(.drawn-narrow) > svg").forEach(tellTitles);
  document.querySelectorAll(".chart:not(.drawn-narrow) > svg.srrd-chart").forEach(makeLive);
  document.querySelectorAll(".chart:not(.drawn-narrow)").forEach(addFitButton);
  addHint();
  document.querySelectorAll(".chart, .table-box").forEach(showScrolling);
  document.querySelectorAll(".contents").forEach(followSections);
  unfoldForPrint();
  addEventListener("resize", hideTooltip);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hideTooltip();
  });
  document.addEventListener("pointerdown", (event) => {
    if (!event.target.closest?.(".chart svg")) hideTooltip();
  });
})();
