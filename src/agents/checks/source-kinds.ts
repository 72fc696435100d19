// Tells from a path what a file is: its language, and whether people review it at all.

const byExtension: Readonly<Record<string, SourceKind>> = {
  js: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  jsx: "javascript",
  ts: "typescript",
  mts: "typescript",
  cts: "typescript",
  tsx: "typescript",
  py: "python",
  pyi: "python",
  go: "go",
  c: "c",
  cc: "cpp",
  cpp: "cpp",
  cxx: "cpp",
  hpp: "cpp",
  hh: "cpp",
  hxx: "cpp",
  h: "cpp",
  inl: "cpp",
  cs: "csharp",
  lua: "lua",
  sh: "bash",
  bash: "bash",
  json: "json",
  jsonc: "jsonc",
  json5: "json5",
  webmanifest: "json",
  yml: "yaml",
  yaml: "yaml",
  toml: "toml",
  css: "css",
  md: "document",
  markdown: "document",
  rst: "document",
  adoc: "document",
  txt: "document",
  html: "document",
};

export type SourceKind =
  | "javascript"
  | "typescript"
  | "python"
  | "go"
  | "c"
  | "cpp"
  | "csharp"
  | "lua"
  | "bash"
  | "json"
  | "jsonc"
  | "json5"
  | "yaml"
  | "toml"
  | "css"
  | "document"
  | "other";

export function sourceKind(path: string): SourceKind {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const extension = name.includes(".") ? name.slice(name.lastIndexOf(".") + 1) : "";
  return byExtension[extension] ?? "other";
}

export function isWorkflow(path: string): boolean {
  return /^\.github\/workflows\/[^/]+\.ya?ml$/.test(path);
}

/** Files that tests and documentation are made of: made-up credentials and broken input are their business. */
export function isSpecimen(path: string): boolean {
  return (
    /(^|\/)(tests?|__tests__|__mocks__|__fixtures__|specs?|e2e|fixtures?|testdata|test-data|mocks?|samples?|examples?|demos?|docs?|documentation|bench(marks?)?|cookbook)(\/|$)/i.test(
      path,
    ) ||
    /(^|[._-])(tests?(-d)?|tst|spec|mock|fixture|example|sample)s?\.[^/]+$/i.test(path) ||
    /(^|\/)(test_[^/]+|conftest)\.py$/i.test(path) ||
    /\.(example|sample|template|dist|tmpl|tpl)$/i.test(path)
  );
}

/** Files that tests read: broken on purpose as often as not. */
export function isFixture(path: string): boolean {
  return /(^|\/)(tests?|__tests__|__mocks__|__fixtures__|__snapshots__|specs?|fixtures?|testdata|test-data|mocks?)\//i.test(
    path,
  );
}

const lockFiles = new Set([
  "package-lock.json",
  "npm-shrinkwrap.json",
  "yarn.lock",
  "pnpm-lock.yaml",
  "bun.lock",
  "bun.lockb",
  "composer.lock",
  "cargo.lock",
  "poetry.lock",
  "pdm.lock",
  "uv.lock",
  "pipfile.lock",
  "gemfile.lock",
  "go.sum",
  "packages.lock.json",
  "flake.lock",
  "mix.lock",
  "podfile.lock",
  "pubspec.lock",
  "deno.lock",
]);

export type Exclusion = "lock" | "vendored" | "generated" | "minified";

/** Why nobody reviews such a path, or null. */
export function exclusion(path: string): Exclusion | null {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  if (lockFiles.has(name)) return "lock";
  if (/(^|\/)(node_modules|bower_components|vendor|third[_-]?party|external|deps)\//i.test(path)) return "vendored";
  if (/[.-]min\.(js|mjs|cjs|css|html?)$/.test(name) || /\.(map|bundle\.js)$/.test(name)) return "minified";
  if (/(^|\/)(__generated__|generated|gen|dist)\//i.test(path)) return "generated";
  if (
    /(\.pb\.(go|cc|h)|_pb2(_grpc)?\.pyi?|\.g\.(cs|dart|ts)|\.generated\.[a-z]+|\.designer\.cs|\.gen\.[a-z]+)$/.test(
      name,
    )
  ) {
    return "generated";
  }
  return null;
}

/** A comment line by which generators mark their output; that some value "is generated" says nothing about the file. */
const generatedNote =
  /^\s*(?:\/\/|\/?\*+|#|--|;+|<!--|"""|\(\*)?\s*(?:.*@generated\b|.*\bdo not (?:edit|modify)\b.*\bgenerated|.*\bgenerated\b.*\bdo not (?:edit|modify)\b|(?:this (?:file|code) (?:is|was|has been) |code |file |automatically |auto-?)+generated\b|do not (?:edit|modify) (?:this file|manually|directly|by hand))/i;

/** Whether the text itself says that a machine wrote it, or shows it by lines that no person would write. */
export function contentExclusion(text: string): Exclusion | null {
  const head = text.slice(0, 4_000).split("\n", 30);
  if (head.some((line) => line.length < 300 && generatedNote.test(line))) return "generated";
  // Compilers of JavaScript leave these marks; what they write was reviewed as their input.
  if (
    /\bsourceMappingURL=\S+\s*$/.test(text.slice(-500)) ||
    /^Object\.defineProperty\(exports, "__esModule"/m.test(text.slice(0, 4_000))
  ) {
    return "generated";
  }
  // Bundlers write few and very long lines; 500 characters on average is far beyond hand-written text.
  if (text.length > 10_000 && text.length / text.split("\n", 2_000).length > 500) return "minified";
  return null;
}
