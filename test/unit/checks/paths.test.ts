// Paths that a caller may give: nothing leaves the project, nothing looks like an option.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { resolvePath } from "../../../src/checks/paths.ts";
import { createProject, type Project } from "./project.ts";

let project: Project;
beforeEach(() => {
  project = createProject({ "src/a.ts": "", "-x/y.ts": "" });
  const outside = join(dirname(project.root), "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "secret.ts"), "");
  symlinkSync(join(outside, "secret.ts"), join(project.root, "link.ts"));
  symlinkSync(outside, join(project.root, "dir"));
  symlinkSync(join(project.root, "src"), join(project.root, "inner"));
});
afterEach(() => project.remove());

it.each([
  ["", "invalid_path"],
  ["a\0b", "invalid_path"],
  ["a\nb", "invalid_path"],
  ["--fix", "invalid_path"],
  ["-x/y.ts", "invalid_path"],
  ["./-x/y.ts", "invalid_path"],
  ["/etc/passwd", "path_outside_project"],
  ["\\\\server\\share", "path_outside_project"],
  ["C:\\x", "path_outside_project"],
  ["c:x", "path_outside_project"],
  ["..", "path_outside_project"],
  ["src/../../outside/secret.ts", "path_outside_project"],
  ["src/../src/a.ts", "path_outside_project"],
  ["link.ts", "path_outside_project"],
  ["dir/secret.ts", "path_outside_project"],
  ["dir/not-there.ts", "path_outside_project"],
  ["dir", "path_outside_project"],
  ["gone.ts", "path_not_found"],
  ["src/a.ts/b", "path_not_found"],
])("D paths: refuses %j as %s", (entry, code) => {
  expect(resolvePath(project.root, entry)).toEqual({ kind: "refused", code, path: entry });
});

it.each([
  [".", "directory", ""],
  ["./", "directory", ""],
  ["src", "directory", "src"],
  ["src//a.ts", "file", "src/a.ts"],
  ["./src/./a.ts", "file", "src/a.ts"],
  ["src\\a.ts", "file", "src/a.ts"],
  ["inner/a.ts", "file", "inner/a.ts"],
])("D paths: takes %j as a %s", (entry, kind, path) => {
  expect(resolvePath(project.root, entry)).toEqual({ kind, path });
});

it("D paths: never accepts a path that names something outside", () => {
  const part = fc.constantFrom("..", ".", "src", "dir", "link.ts", "a.ts", "", "C:", "-", "inner");
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), fc.constantFrom("/", "\\"), (parts, separator) => {
      const verdict = resolvePath(project.root, parts.join(separator));
      if (verdict.kind !== "refused") expect(verdict.path).toMatch(/^(?:src|inner)?(?:\/a\.ts)?$/);
    }),
  );
});
