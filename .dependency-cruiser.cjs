// The floors of the house (CONTRIBUTING.md): a folder imports lower floors and itself, never a sibling, never upwards.

const floors = [
  ["src/core"],
  ["src/ports"],
  ["src/cards", "src/process", "src/report-tools"],
  ["src/app"],
  [
    "src/vcs",
    "src/agents",
    "src/sandbox",
    "src/store",
    "src/templates",
    "src/checks",
    "src/telemetry",
    "channels/kit",
    "channels/web",
    "channels/slack",
    "channels/lark",
    "channels/discord",
  ],
  ["src/http", "src/feeds", "src/schedule", "src/mcp", "src/web"],
];

/** `compose.ts`, `entries/`, `config/`, `cli/` and the channels' registry know all, and nothing below may know them. */
const top = ["src/compose", "src/main", "src/entries", "src/config", "src/cli", "channels/index"];

const pattern = (folders) => `^(${folders.join("|")})(/|\\.ts$)`;

const upward = floors.map((folders, index) => ({
  name: `floor-${index}-upward`,
  severity: "error",
  comment: "A floor never imports a higher one.",
  from: { path: pattern(folders) },
  to: { path: pattern([...floors.slice(index + 1).flat(), ...top]) },
}));

const siblings = floors.flatMap((folders) =>
  folders.length === 1
    ? []
    : folders.map((folder) => ({
        name: `sibling-of-${folder.replace("/", "-")}`,
        severity: "error",
        comment: "Folders of one floor do not know each other; channels share channels/kit.",
        from: { path: pattern([folder]) },
        to: {
          path: pattern(
            folders.filter(
              (other) => other !== folder && !(other === "channels/kit" && folder.startsWith("channels/")),
            ),
          ),
        },
      })),
);

/** A platform's or engine's package belongs to one folder. */
const owned = [
  ["better-sqlite3", "src/store"],
  ["liquidjs", "src/templates"],
  ["intl-messageformat", "src/templates"],
  ["pino", "src/telemetry"],
  ["hono", "src/http"],
  ["@hono/node-server", "src/http"],
  ["yaml", "src/config|src/agents/checks"],
  ["citty", "src/cli"],
  ["node-cron", "src/schedule"],
  ["@secretlint", "src/agents/checks"],
  ["@ast-grep", "src/agents/checks"],
  ["ai", "src/agents/model"],
  ["@ai-sdk", "src/agents/model"],
  ["mdast-util-from-markdown", "src/cards"],
];

const packages = owned.map(([name, folder]) => ({
  name: `package-${name.replace(/\W+/g, "-")}`,
  severity: "error",
  comment: "A library with one owner is imported by its owner alone.",
  from: { path: "^(src|channels)/", pathNot: `^(${folder})/` },
  to: { path: `node_modules/${name}(/|$)` },
}));

module.exports = {
  forbidden: [
    ...upward,
    ...siblings,
    ...packages,
    {
      name: "core-is-pure",
      severity: "error",
      comment: "The domain and its ports import no package.",
      from: { path: "^src/(core|ports)/" },
      to: { dependencyTypes: ["npm", "npm-dev", "npm-optional", "npm-peer"] },
    },
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    { name: "no-unresolved", severity: "error", from: {}, to: { couldNotResolve: true } },
    {
      name: "no-dev-packages",
      severity: "error",
      comment: "The product runs without its tools.",
      from: { path: "^(src|channels)/" },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["npm", "type-only"], pathNot: "node_modules/@types/" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default", "types"] },
  },
};
