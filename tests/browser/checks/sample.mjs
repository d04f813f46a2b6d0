// The sample report of crates/srrd-show (tests/support/sample.rs), in every detail.

import assert from "node:assert/strict";

const SCRIPT = "<script>alert(1)</script>";
const BREAKOUT = '"><img src=x onerror="window.ran=true">';

const chart = (page, place = 0) => page.locator("svg.srrd-chart").nth(place);
/** A series or legend entry by its name, which may hold anything. */
async function named(locator, name) {
  const names = await locator.evaluateAll((elements) => elements.map((element) => element.dataset.series));
  assert.notEqual(names.indexOf(name), -1, `no ${name} in ${names}`);
  return locator.nth(names.indexOf(name));
}
const series = (page, name, place) => named(chart(page, place).locator(".series"), name);
const entry = (page, name, place) => named(chart(page, place).locator(".legend-entry"), name);
const onSeries = (page, place) => chart(page, place).locator(".series").evaluateAll((groups) =>
  groups.filter((group) => getComputedStyle(group).display !== "none").map((group) => group.dataset.series));
async function tooltipLines(page) {
  assert.ok(await page.locator(".tooltip").isVisible(), "no values are shown");
  return (await page.locator(".tooltip").innerText()).split(/\s*\n\s*/);
}
async function middle(locator) {
  await locator.scrollIntoViewIfNeeded();
  const box = await locator.boundingBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
}

const ALL = ["DIRECT", "EPIC", "DARD", "SRRD", SCRIPT, BREAKOUT];

async function tooltip(browser) {
  const page = await browser.open();
  const point = (await series(page, "DARD")).locator(".point").nth(4);
  const [x, y] = await middle(point);
  await page.mouse.move(x, y);
  const expected = ["DARD", "rollouts 50, distance 0.373 (0.347 to 0.400); 200 trials"];
  assert.deepEqual(await tooltipLines(page), expected);
  const box = await page.locator(".tooltip").boundingBox();
  assert.ok(box.y + box.height <= y && box.x <= x && x <= box.x + box.width, "the values are not above their point");

  // Beside the point is near enough; far away is not.
  await page.mouse.move(x + 8, y - 8);
  assert.deepEqual(await tooltipLines(page), expected);
  await page.mouse.move(x + 20, y - 120);
  assert.ok(await page.locator(".tooltip").isHidden());

  const nasty = (await series(page, BREAKOUT)).locator(".point").nth(4);
  await page.mouse.move(...(await middle(nasty)));
  const lines = await tooltipLines(page);
  assert.equal(lines[0], BREAKOUT);
  assert.ok(lines.at(-1).endsWith(`; ${BREAKOUT}`), lines.at(-1));

  // A click beside another point takes the focus from the first, and leaves the values of the second.
  await page.mouse.click(x, y);
  const [besideX, besideY] = await middle(nasty);
  await page.mouse.click(besideX + 8, besideY - 8);
  assert.equal((await tooltipLines(page))[0], BREAKOUT);
}

async function taps(browser) {
  const page = await browser.open({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  const tap = async (name, place, aside = 0) => {
    const [x, y] = await middle((await series(page, name)).locator(".point").nth(place));
    await page.touchscreen.tap(x + aside, y);
  };
  await tap("DARD", 4);
  assert.equal((await tooltipLines(page))[0], "DARD");
  await tap(BREAKOUT, 5, 5);
  assert.equal((await tooltipLines(page))[0], BREAKOUT, "a tap beside a point");
  for (const place of [0, 6]) {
    await tap(BREAKOUT, place);
    assert.equal((await tooltipLines(page))[0], BREAKOUT);
    const box = await page.locator(".tooltip").boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 360, `the values reach from ${box.x} to ${box.x + box.width}`);
  }
  await page.locator("h1").tap();
  assert.ok(await page.locator(".tooltip").isHidden(), "a tap elsewhere");
  await (await entry(page, "EPIC")).tap();
  assert.ok(!(await onSeries(page)).includes("EPIC"));
  // Two taps that a phone does not count: sent at once, since a busy machine may take its time between real ones.
  await (await entry(page, "SRRD")).evaluate((element) => {
    for (let tap = 0; tap < 2; tap += 1) element.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  });
  assert.deepEqual(await onSeries(page), ["SRRD"], "two taps show one");
}

async function heatMap(browser) {
  const page = await browser.open();
  const told = page.locator("figure .chart > svg:not(.srrd-chart) .told").first();
  await page.mouse.move(...(await middle(told)));
  assert.equal(await page.locator(".tooltip").innerText(), await told.getAttribute("aria-label"));
  await page.mouse.move(2, 2);
  assert.ok(await page.locator(".tooltip").isHidden());
}

async function keyboard(browser) {
  const page = await browser.open();
  const focused = () => page.evaluate(() => ({
    series: document.activeElement.closest(".series")?.dataset.series,
    x: document.activeElement.dataset.x,
  }));
  // The chart is one stop of the tab key, before its legend.
  await (await entry(page, "DIRECT")).focus();
  await page.keyboard.press("Shift+Tab");
  assert.deepEqual(await focused(), { series: "DIRECT", x: "1" });
  for (const key of ["ArrowRight", "ArrowRight", "ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
  assert.deepEqual(await focused(), { series: "DARD", x: "10" });
  assert.equal((await tooltipLines(page))[0], "DARD");
  const label = await page.evaluate(() => document.activeElement.getAttribute("aria-label"));
  assert.match(label, /^DARD, rollouts 10, distance 0\.\d+ \(0\.\d+ to 0\.\d+\); 200 trials$/);
  await page.keyboard.press("End");
  assert.deepEqual(await focused(), { series: "DARD", x: "100" });
  await page.keyboard.press("ArrowRight");
  assert.deepEqual(await focused(), { series: "DARD", x: "100" });
  await page.keyboard.press("Escape");
  assert.ok(await page.locator(".tooltip").isHidden());
  // The arrows leave out what is hidden.
  await (await entry(page, "EPIC")).press(" ");
  await (await series(page, "DARD")).locator(".point").last().focus();
  await page.keyboard.press("ArrowUp");
  assert.deepEqual(await focused(), { series: "DIRECT", x: "100" });
}

async function legend(browser) {
  const page = await browser.open();
  const without = (...names) => ALL.filter((name) => !names.includes(name));
  const all = chart(page).locator("xpath=ancestor::figure").locator(".show-all");
  assert.deepEqual(await onSeries(page), ALL);
  assert.ok(await all.isHidden());
  const epic = await middle((await series(page, "EPIC")).locator(".point").nth(4));
  for (const name of [SCRIPT, BREAKOUT, "EPIC"]) await (await entry(page, name)).click();
  assert.deepEqual(await onSeries(page), without(SCRIPT, BREAKOUT, "EPIC"));
  assert.equal(await (await entry(page, "EPIC")).getAttribute("aria-pressed"), "false");
  assert.deepEqual(await onSeries(page, 1), ALL.slice(0, 4), "another figure changed too");

  // What is hidden has no values to show: EPIC lies between DIRECT and DARD, nearest to DIRECT.
  await (await entry(page, "DIRECT")).press("Enter");
  await page.mouse.move(...epic);
  assert.ok(await page.locator(".tooltip").isHidden(), "values of a hidden series");

  await all.click();
  assert.deepEqual(await onSeries(page), ALL);
  await (await entry(page, "SRRD")).dblclick();
  assert.deepEqual(await onSeries(page), ["SRRD"], "double click shows one");
  await (await entry(page, "SRRD")).dblclick();
  assert.deepEqual(await onSeries(page), ALL, "double click on the only one shows all");
  await (await entry(page, "DARD")).click({ modifiers: ["Shift"] });
  assert.deepEqual(await onSeries(page), ["DARD"], "shift-click shows one");
  await (await entry(page, "DARD")).press("Shift+Enter");
  assert.deepEqual(await onSeries(page), ALL, "the same from the keyboard");
}

async function sorting(browser) {
  const page = await browser.open();
  const table = page.locator("table.sortable").first();
  const button = (place) => table.locator("thead th button").nth(place);
  const cells = (place) => table.locator(`tbody td:nth-child(${place + 1})`).allInnerTexts();
  const given = await cells(2);
  assert.equal(given.length, 12);

  await button(1).click();
  assert.deepEqual(await cells(1), [9, 9, 9, 9, 25, 25, 25, 25, 100, 100, 100, 100].map(String));
  await button(1).press("Enter");
  assert.deepEqual(await cells(1), [100, 100, 100, 100, 25, 25, 25, 25, 9, 9, 9, 9].map(String));
  // Rows that are equal stay in the order they came in.
  assert.deepEqual((await cells(0)).slice(0, 4), ["direct", "EPIC", "dard", "srrd"]);

  await button(2).click();
  const up = await cells(2);
  assert.ok(up[0].startsWith("0.310") && up[9].startsWith("0.677"), up.join());
  assert.deepEqual(up.slice(10).sort(), ["undefined", "–"]);
  await button(2).click();
  const down = await cells(2);
  assert.ok(down[0].startsWith("0.677") && down[9].startsWith("0.310"), down.join());
  assert.deepEqual(down.slice(10).sort(), ["undefined", "–"]);

  await button(0).press(" ");
  assert.deepEqual([...new Set(await cells(0))], ["dard", "direct", "EPIC", "srrd"]);
  await button(0).click();
  assert.deepEqual([...new Set(await cells(0))], ["srrd", "EPIC", "direct", "dard"]);
  assert.equal(await page.locator(".spoken").textContent(), "Sorted by Metric, descending");
}

async function nastyText(browser) {
  const page = await browser.open();
  assert.equal(await page.evaluate(() => window.ran), undefined, "a script of the data ran");
  assert.equal(await page.locator("img").count(), 0);
  assert.equal(await page.locator("script").count(), 1);
  assert.equal(await page.locator("#notes li").last().innerText(), SCRIPT);
  assert.equal(await page.locator("#section-4 h2").innerText(), `How it was measured ${SCRIPT}`);
  assert.equal(await (await entry(page, SCRIPT)).locator("text").textContent(), SCRIPT);
  assert.equal(await page.locator("td", { hasText: BREAKOUT }).count(), 4);
}

async function parts(browser) {
  const page = await browser.open();
  const verdicts = await page.locator(".claim .verdict").allInnerTexts();
  assert.deepEqual(verdicts, ["agrees", "does not agree", "undecided", "not in the paper"]);
  assert.equal(await page.locator(".claim .verdict svg").count(), 4, "verdicts are told by more than colour");
  assert.equal(await page.locator(".contents a").count(), 7);
  await page.locator(".contents a", { hasText: "A larger world" }).click();
  const top = await page.locator("#section-2").evaluate((section) => section.getBoundingClientRect().top);
  assert.ok(Math.abs(top) < 100, `the section is at ${top}`);
  assert.equal(await page.locator("figure .chart svg").count(), 3);
  assert.equal(await page.locator("a.file").getAttribute("href"), "figures/drift.svg");
  assert.equal(await page.locator("#f3-srrd-distance").count(), 1, "ids of a figure begin with its number");
  assert.match(await page.locator("footer").innerText(), /^Made by srrd \d+\.\d+\.\d+\.$/);
  // In dark, the black series takes the colour of the text.
  const dark = await browser.open({ colorScheme: "dark" });
  const colours = await (await series(dark, "DIRECT")).evaluate((group) =>
    [getComputedStyle(group.querySelector(".line")).stroke, getComputedStyle(document.body).color]);
  assert.equal(colours[0], colours[1]);
}

export const sampleReport = {
  "sample: what a point says": tooltip,
  "sample: taps": taps,
  "sample: what a cell of a map says": heatMap,
  "sample: points by keyboard": keyboard,
  "sample: legend": legend,
  "sample: orders of the table": sorting,
  "sample: text that looks like markup": nastyText,
  "sample: parts": parts,
};
