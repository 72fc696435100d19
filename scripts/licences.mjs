// Fails when an installed production package carries a licence that the project does not accept.
import { readFile } from "node:fs/promises";

const accepted = new Set([
  "MIT",
  "ISC",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "Apache-2.0",
  "MPL-2.0",
  "0BSD",
  "BlueOak-1.0.0",
  "CC0-1.0",
  "Unlicense",
  "Python-2.0",
  "Zlib",
]);

const lock = JSON.parse(await readFile(new URL("../package-lock.json", import.meta.url), "utf8"));
const refused = [];
let counted = 0;
for (const [place, entry] of Object.entries(lock.packages)) {
  if (place === "" || entry.link) continue;
  counted++;
  const licence = entry.license ?? (await declared(place));
  if (!isAccepted(licence))
    refused.push(`${place.replace(/^node_modules\//, "")}: ${licence ?? "no licence declared"}`);
}
if (counted === 0) throw new Error("package-lock.json lists no packages: the check saw nothing");
if (refused.length > 0) {
  console.error(`Packages under a licence that is not accepted:\n  ${refused.join("\n  ")}`);
  process.exit(1);
}
console.log(`${counted} packages, every licence accepted.`);

async function declared(place) {
  try {
    const manifest = JSON.parse(await readFile(new URL(`../${place}/package.json`, import.meta.url), "utf8"));
    if (typeof manifest.license === "string") return manifest.license;
    return manifest.license?.type ?? manifest.licenses?.map((one) => one.type).join(" OR ");
  } catch {
    return undefined;
  }
}

/** SPDX: an OR needs one accepted side, an AND both. */
function isAccepted(expression) {
  if (typeof expression !== "string") return false;
  const text = expression.replace(/[()]/g, "");
  return text.split(/ OR /i).some((side) => side.split(/ AND /i).every((name) => accepted.has(name.trim())));
}
