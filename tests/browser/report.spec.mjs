// Opens a report in Chromium, tries what readers do, and fails on any error or request.
//
//   node report.spec.mjs FILE.html             the sample report of crates/srrd-show: every detail
//   node report.spec.mjs FILE.html --generic   any report: what every one of them must satisfy
//
// With --only=WORD, only the checks whose names begin with WORD.
//
// Ends with 0 when all checks pass, 1 when one fails, 2 when called wrongly.

import { existsSync } from "node:fs";
import { resolve } from "node:path";

import { Browser } from "./browser.mjs";
import { everyReport } from "./checks/every.mjs";
import { sampleReport } from "./checks/sample.mjs";

const options = process.argv.slice(2);
const generic = options.includes("--generic");
const only = options.find((option) => option.startsWith("--only="))?.slice("--only=".length) ?? "";
const files = options.filter((option) => option !== "--generic" && !option.startsWith("--only="));
if (files.length !== 1 || files[0].startsWith("-") || !existsSync(files[0])) {
  console.error("Call it as: node report.spec.mjs FILE.html [--generic] [--only=WORD], with a file that exists.");
  process.exit(2);
}

const all = generic ? everyReport : { ...everyReport, ...sampleReport };
const checks = Object.fromEntries(Object.entries(all).filter(([name]) => name.startsWith(only)));
if (Object.keys(checks).length === 0) {
  console.error(`No check begins with "${only}": ${Object.keys(all).join("; ")}.`);
  process.exit(2);
}
const browser = await Browser.launch(resolve(files[0]));
let failed = 0;
try {
  for (const [name, check] of Object.entries(checks)) {
    const problems = [];
    try {
      await check(browser);
    } catch (error) {
      problems.push(error.message);
    }
    problems.push(...(await browser.closePages()));
    console.log(`${problems.length === 0 ? "ok    " : "FAILED"}  ${name}`);
    for (const problem of problems) console.log(`        ${problem.replaceAll("\n", "\n        ")}`);
    failed += problems.length > 0;
  }
} finally {
  await browser.close();
}
console.log(failed === 0 ? `All ${Object.keys(checks).length} checks passed.` : `${failed} checks failed.`);
process.exit(failed === 0 ? 0 : 1);
