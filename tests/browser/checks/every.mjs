// What every report must satisfy. Each check opens pages of its own; errors and requests on them count as failures.

import assert from "node:assert/strict";

import { unreadable } from "./contrast.mjs";

const CHROME = ".theme, .copy, .chart-tools, .hint, .contents, .tooltip";

/** Whether an element takes room on the page. */
const shown = (locator) => locator.evaluate((element) => element.checkVisibility());

/** The charts that have points, by their places on the page. */
async function chartsWithPoints(page) {
  const counts = await page.locator("svg.srrd-chart").evaluateAll((charts) =>
    charts.map((chart) => chart.querySelectorAll(".series .point").length));
  return counts.flatMap((count, place) => (count > 0 ? [page.locator("svg.srrd-chart").nth(place)] : []));
}

async function opens(browser) {
  const page = await browser.open();
  assert.notEqual((await page.title()).trim(), "", "the page has no title");
  assert.equal(await page.locator("h1").count(), 1);
  const policy = await page.locator("meta[http-equiv='Content-Security-Policy']").getAttribute("content");
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe-inline|https?:/);
  assert.equal(await page.locator("script").count(), 1, "a script that is not the page's own");
  assert.equal(await page.locator(".problem").count(), 0, "a part of the report was left out");
  assert.equal(await page.locator(".theme").count(), 1, "the script did not run");
  const ids = await page.locator("[id]").evaluateAll((elements) => elements.map((element) => element.id));
  assert.deepEqual(ids.filter((id, place) => ids.indexOf(id) !== place), [], "ids that occur twice");
  const broken = await page.evaluate(() => {
    const used = [...document.querySelectorAll("svg *")].flatMap((element) =>
      [...element.attributes].flatMap(({ value }) => [...value.matchAll(/url\(#([^)]*)\)/g)].map((match) => match[1])));
    return used.filter((id) => !document.getElementById(id));
  });
  assert.deepEqual(broken, [], "references to ids that are not there");
}

async function hovers(browser) {
  const page = await browser.open();
  for (const chart of await chartsWithPoints(page)) {
    await chart.scrollIntoViewIfNeeded();
    const points = chart.locator(".series .point");
    for (const place of new Set([0, (await points.count()) - 1])) {
      const point = points.nth(place);
      const expected = await point.evaluate((element) => ({
        series: element.closest(".series").dataset.series,
        y: element.dataset.y,
      }));
      // Straight at its middle: another point may lie on top of it, and then says its own.
      const box = await point.boundingBox();
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      const on = await page.evaluate(([x, y, point]) => document.elementFromPoint(x, y)?.closest(".point") === point,
        [x, y, await point.elementHandle()]);
      await page.mouse.move(x, y);
      const tooltip = page.locator(".tooltip");
      assert.ok(await shown(tooltip), `no values at a point of ${expected.series}`);
      if (!on) continue;
      const text = await tooltip.innerText();
      assert.ok(text.includes(expected.series), `"${text}" does not name the series ${expected.series}`);
      if (expected.y) {
        const values = [...text.matchAll(/-?\d+(\.\d+)?(e[+-]?\d+)?/g)].map(([digits]) => Number(digits));
        const y = Number(expected.y);
        // As people read it: rounded.
        const near = Math.max(0.02 * Math.abs(y), 0.0051);
        assert.ok(values.some((value) => Math.abs(value - y) <= near), `"${text}" does not show ${y}`);
      }
    }
    await page.mouse.move(0, 0);
    assert.ok(!(await shown(page.locator(".tooltip"))), "the values stay when the pointer has gone");
  }
}

async function toggles(browser) {
  const page = await browser.open();
  for (const chart of await page.locator("svg.srrd-chart").all()) {
    for (const entry of await chart.locator(".legend-entry").all()) {
      const series = await entry.getAttribute("data-series");
      const asExpected = () => chart.locator(".series").evaluateAll((groups, series) => groups.every((group) =>
        (group.dataset.series === series) === (getComputedStyle(group).display === "none")), series);
      assert.equal(await entry.getAttribute("aria-pressed"), "true");
      await entry.click();
      assert.equal(await entry.getAttribute("aria-pressed"), "false");
      assert.ok(await asExpected(), `${series} should be hidden, and nothing else`);
      // From the keyboard, which cannot be taken for a double click.
      await entry.press("Enter");
      assert.equal(await entry.getAttribute("aria-pressed"), "true");
      assert.equal(await chart.locator(".series.off").count(), 0);
    }
  }
}

/** The cells of a column as the page shows them now, with what they should be sorted by. */
async function column(table, place) {
  return table.locator(`tbody tr td:nth-child(${place + 1})`).evaluateAll((cells) =>
    cells.map((cell) => ({ text: cell.textContent.trim(), value: cell.dataset.value })));
}

function assertSorted(cells, numeric, direction, name) {
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const missing = ({ value, text }) => value === "" || (value === undefined && (numeric || text === ""));
  const first = cells.findIndex(missing);
  const present = first === -1 ? cells : cells.slice(0, first);
  assert.ok(cells.slice(present.length).every(missing), `${name}: missing values are not last`);
  for (let place = 1; place < present.length; place += 1) {
    const [a, b] = [present[place - 1], present[place]];
    const bothNumbers = a.value !== undefined && b.value !== undefined;
    const order = bothNumbers ? Number(a.value) - Number(b.value) : collator.compare(a.text, b.text);
    assert.ok(order * direction <= 0, `${name}: "${a.text}" before "${b.text}"`);
  }
}

async function sorts(browser) {
  const page = await browser.open();
  for (const table of await page.locator("table.sortable").all()) {
    const rows = async () => (await table.locator("tbody tr").allTextContents()).sort();
    const before = await rows();
    for (const [place, header] of (await table.locator("thead th").all()).entries()) {
      const name = await header.innerText();
      const numeric = await header.evaluate((element) => element.classList.contains("number"));
      for (const [expected, direction] of [["ascending", -1], ["descending", 1]]) {
        await header.locator("button").click();
        assert.equal(await header.getAttribute("aria-sort"), expected);
        assert.equal(await table.locator("[aria-sort]").count(), 1);
        // A comparison of a and b is negative where they ascend.
        assertSorted(await column(table, place), numeric, -direction, `${name}, ${expected}`);
      }
    }
    assert.deepEqual(await rows(), before, "sorting lost or changed a row");
  }
}

async function copies(browser) {
  const page = await browser.open({ permissions: ["clipboard-read", "clipboard-write"] });
  if ((await page.locator(".command").count()) === 0) return;
  await page.locator(".copy").click();
  await page.locator(".copy", { hasText: "Copied" }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied, await page.locator(".command code").textContent());
}

async function readsInLightAndDark(browser) {
  const grounds = [];
  for (const colorScheme of ["light", "dark"]) {
    const page = await browser.open({ colorScheme });
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    grounds.push(await ground());
    assert.deepEqual(await unreadable(page), [], `${colorScheme}: contrast too low`);
    await page.locator(".theme").click();
    assert.notEqual(await ground(), grounds.at(-1), "the button does not change the page");
    assert.deepEqual(await unreadable(page), [], `contrast too low after the button, from ${colorScheme}`);
    await page.locator(".theme").click();
    assert.equal(await ground(), grounds.at(-1));
  }
  assert.notEqual(grounds[0], grounds[1], "light and dark look the same");
}

async function fitsAPhone(browser) {
  const page = await browser.open({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  const fits = async (when) => {
    const width = await page.evaluate(() => document.scrollingElement.scrollWidth);
    assert.ok(width <= 360, `${when}: the page is ${width} px wide on a screen of 360`);
  };
  await fits("at first");
  // Text of figures keeps its size, and boxes that hold more than they show say so, until they are scrolled to the end.
  const small = await page.locator("svg.srrd-chart text").evaluateAll((texts) => texts.filter((text) =>
    text.getScreenCTM().a * Number(text.getAttribute("font-size")) < 9).map((text) => text.textContent));
  assert.deepEqual(small, [], "text too small to read");
  for (const box of await page.locator(".chart, .table-box").all()) {
    const scrolls = await box.evaluate((element) => element.scrollWidth > element.clientWidth + 1);
    const told = () => box.evaluate((element) =>
      [element.classList.contains("more-right"), element.closest("figure").querySelector(".scrolling").checkVisibility()]);
    assert.deepEqual(await told(), [scrolls, scrolls], "a box that scrolls does not say so");
    await box.evaluate((element) => element.scrollTo({ left: element.scrollWidth, behavior: "instant" }));
    await page.waitForFunction((element) => !element.classList.contains("more-right"), await box.elementHandle());
    assert.equal(await box.evaluate((element) => element.classList.contains("more-left")), scrolls);
  }
  for (const chart of await page.locator(".chart.drawn-narrow").all()) {
    assert.ok(await chart.evaluate((box) => box.scrollWidth <= box.clientWidth + 1), "a chart drawn for phones scrolls");
  }
  await fits("scrolled");
  for (const button of await page.locator(".fit").all()) await button.tap();
  for (const chart of await page.locator(".chart").all()) {
    const wide = await chart.evaluate((box) => box.firstElementChild.getBoundingClientRect().right
      - box.getBoundingClientRect().right);
    assert.ok(wide <= 1, "a figure that should fit the page does not");
  }
  await fits("with fitted figures");
  for (const chart of await chartsWithPoints(page)) {
    await chart.locator(".series .point").last().scrollIntoViewIfNeeded();
    const box = await chart.locator(".series .point").last().boundingBox();
    await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
    assert.ok(await shown(page.locator(".tooltip")), "no values after a tap");
    await fits("with the values of a point");
  }
}

async function prints(browser) {
  const page = await browser.open({ colorScheme: "dark" });
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  const chrome = await page.locator(CHROME).evaluateAll((elements) =>
    elements.filter((element) => element.checkVisibility()).map((element) => element.className));
  assert.deepEqual(chrome, [], "buttons and hints in print");
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor), "rgb(255, 255, 255)");
  assert.deepEqual(await unreadable(page), [], "print: contrast too low");
  for (const figure of await page.locator(".chart-figure").all()) {
    assert.ok(await shown(figure.locator("svg").first()));
    assert.equal(await figure.evaluate((element) => getComputedStyle(element).breakInside), "avoid");
  }
  // A4 without its margins: paper does not scroll.
  await page.setViewportSize({ width: 673, height: 986 });
  const cut = await page.locator(".chart, .table-box, .command pre").evaluateAll((boxes) =>
    boxes.filter((box) => box.scrollWidth > box.clientWidth + 1).map((box) => box.closest("figure, .command").innerText.slice(0, 60)));
  assert.deepEqual(cut, [], "cut at the edge of the paper");
  assert.ok((await page.pdf({ format: "A4" })).length > 1000);
}

async function worksWithoutScript(browser) {
  const withScript = await browser.open();
  const page = await browser.open({ javaScriptEnabled: false });
  for (const part of [".chart svg", "table.sortable tbody tr", ".claim", ".command code"]) {
    const expected = await withScript.locator(part).count();
    assert.equal(await page.locator(part).filter({ visible: true }).count(), expected, `${part} without script`);
  }
  assert.equal(await page.locator("button").count(), 0, "buttons that cannot work");
}

export const everyReport = {
  "opens, alone and whole": opens,
  "shows the values of points": hovers,
  "hides series by the legend": toggles,
  "sorts tables": sorts,
  "copies the command": copies,
  "reads in light and dark": readsInLightAndDark,
  "fits a phone": fitsAPhone,
  "prints": prints,
  "works without script": worksWithoutScript,
};
