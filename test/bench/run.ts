// Runs every benchmark (or those named on the command line) and prints a table; exits 1 when a ratio misses its limit.
import { readdir } from "node:fs/promises";
import type { Bench, BenchRow } from "./bench.ts";

const wanted = process.argv.slice(2);
const files = (await readdir(new URL(".", import.meta.url)))
  .filter((name) => name.endsWith(".bench.ts"))
  .filter((name) => wanted.length === 0 || wanted.some((word) => name.includes(word)))
  .sort();

let missed = 0;
for (const file of files) {
  const { bench } = (await import(new URL(file, import.meta.url).href)) as { bench: Bench };
  console.log(`\n${file}`);
  for (const row of await bench()) {
    const ok = holds(row);
    if (!ok) missed++;
    console.log(
      `  ${ok ? "ok  " : "MISS"} ${row.name}: ${row.value.toFixed(2)} (${row.comparison} ${row.limit}) — ${row.note}`,
    );
  }
}
console.log(missed === 0 ? "\nEvery ratio holds." : `\n${missed} ratio(s) missed their limit.`);
process.exitCode = missed === 0 ? 0 : 1;

function holds(row: BenchRow): boolean {
  return row.comparison === "at most" ? row.value <= row.limit : row.value >= row.limit;
}
