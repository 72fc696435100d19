// The house stands: floors, file lengths, folder shapes, opening sentences and names are what CONTRIBUTING.md says.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { cruise, type ICruiseOptions, type ICruiseResult, type IFlattenedRuleSet } from "dependency-cruiser";
import extractTSConfig from "dependency-cruiser/config-utl/extract-ts-config";
import { beforeAll, describe, expect, it } from "vitest";

const config = createRequire(import.meta.url)("../../../.dependency-cruiser.cjs") as {
  readonly forbidden: NonNullable<IFlattenedRuleSet["forbidden"]>;
  readonly options: ICruiseOptions;
};
const root = fileURLToPath(new URL("../../..", import.meta.url));
const sources = ["src", "channels"].flatMap((folder) => filesBelow(join(root, folder)));
const typescript = sources.filter((file) => file.endsWith(".ts"));

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

const name = (file: string): string => relative(root, file);
const text = (file: string): string => readFileSync(file, "utf8");

describe("the floors", () => {
  let result: ICruiseResult;

  beforeAll(async () => {
    process.chdir(root);
    const options = { ...config.options, ruleSet: { forbidden: config.forbidden }, validate: true };
    const output = await cruise(["src", "channels"], options, undefined, {
      tsConfig: extractTSConfig(join(root, "tsconfig.json")),
    });
    result = output.output as ICruiseResult;
  }, 120_000);

  it("are all looked at: every source file is cruised", () => {
    const cruised = new Set(result.modules.map((module) => module.source));
    expect(typescript.map(name).filter((file) => !cruised.has(file))).toEqual([]);
    expect(result.summary.totalDependenciesCruised).toBeGreaterThan(typescript.length);
  });

  it("are kept: no import goes up, sideways, or round in a circle", () => {
    const found = result.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`);
    expect(found).toEqual([]);
  });
});

describe("the files", () => {
  it("have at most 300 lines", () => {
    const long = sources.filter((file) => /\.(ts|js|css)$/.test(file) && text(file).split("\n").length > 301);
    expect(long.map(name)).toEqual([]);
  });

  it("open with one sentence that says their duty", () => {
    const silent = typescript.filter((file) => !/^(#!.*\n)?\/\/ \S.*[.:]\n/.test(text(file)));
    expect(silent.map(name)).toEqual([]);
  });

  it("are named in kebab-case, and nothing is called utils, helpers or common", () => {
    const odd = sources.filter(
      (file) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)*$/i.test(name(file).split("/").at(-1) ?? ""),
    );
    const vague = sources.filter((file) => /(^|\/)(utils?|helpers?|common)(\/|\.)/.test(name(file)));
    expect([...odd, ...vague].map(name).filter((file) => !file.endsWith("README.md"))).toEqual([]);
  });

  it("silence no tool", () => {
    const silencing =
      /(?:\/[/*]\s*)(?:@ts-(?:ignore|expect-error|nocheck)|biome-ignore|eslint-disable|oxlint-disable)|\bas any\b/;
    expect(typescript.filter((file) => silencing.test(text(file))).map(name)).toEqual([]);
  });

  it("import zod as a namespace, so that bundles and starts leave out what nobody uses of it", () => {
    const whole = /^import (?:z|\{[^}]*\bz\b[^}]*\}) from "zod"/m;
    expect(whole.test('import { z } from "zod";')).toBe(true);
    expect(typescript.filter((file) => whole.test(text(file))).map(name)).toEqual([]);
  });

  it("have no barrels but a channel's index.ts", () => {
    const barrels = typescript.filter(
      (file) => file.endsWith("/index.ts") && !/channels\/([a-z]+\/)?index\.ts$/.test(file),
    );
    expect(barrels.map(name)).toEqual([]);
  });
});

describe("the folders", () => {
  it("give every channel the same files", () => {
    const shape = ["README.md", "capabilities.ts", "client.ts", "config.ts", "inbound.ts", "index.ts", "render.ts"];
    const channels = readdirSync(join(root, "channels")).filter(
      (entry) => entry !== "kit" && statSync(join(root, "channels", entry)).isDirectory(),
    );
    expect(channels.length).toBeGreaterThan(0);
    for (const channel of channels) {
      const files = readdirSync(join(root, "channels", channel));
      expect(files.filter((file) => shape.includes(file)).sort(), channel).toEqual([...shape].sort());
      expect(
        files.some((file) => file.startsWith("manifest.")),
        channel,
      ).toBe(true);
    }
  });
});
