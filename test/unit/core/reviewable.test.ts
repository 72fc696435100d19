// Which files alone make a change `no_reviewable_code`, and which names merely look like them.
import { describe, expect, test } from "vitest";
import type { ChangedFile } from "../../../src/core/change.ts";
import { classifyFile, type FileClass, isReviewable } from "../../../src/core/reviewable.ts";

function file(path: string, over: Partial<ChangedFile> = {}): ChangedFile {
  const flags = { isBinary: false, isSymlink: false, isSubmodule: false, isLfs: false, isGenerated: false };
  return { kind: "modify", path, rawPath: path, ...flags, ...over };
}

test.each<[string, FileClass]>([
  ["src/main.ts", "source"],
  ["README.md", "source"],
  ["config.yaml", "source"],
  ["Makefile", "source"],
  ["package.json", "source"],
  ["package-lock.json", "lock"],
  ["web/pnpm-lock.yaml", "lock"],
  ["Cargo.lock", "lock"],
  ["go.sum", "lock"],
  ["src/lock.ts", "source"],
  ["src/file.lock.ts", "source"],
  ["dist/app.min.js", "generated"],
  ["app.js.map", "generated"],
  ["api/user.pb.go", "generated"],
  ["api/user_pb2.py", "generated"],
  ["lib/model.g.dart", "generated"],
  ["Form.Designer.cs", "generated"],
  ["src/schema.generated.ts", "generated"],
  ["src/parser.gen.cpp", "generated"],
  ["src/__generated__/query.ts", "generated"],
  ["test/__snapshots__/a.test.ts.snap", "generated"],
  ["src/generated.ts", "source"],
  ["src/generator.ts", "source"],
  ["src/minimum.js", "source"],
  ["vendor/github.com/x/y.go", "vendored"],
  ["node_modules/x/index.js", "vendored"],
  ["Engine/ThirdParty/zlib/zlib.h", "vendored"],
  ["third_party/abseil/a.cc", "vendored"],
  ["src/vendor.ts", "source"],
  ["LICENSE", "licence"],
  ["LICENCE.txt", "licence"],
  ["COPYING.LESSER", "licence"],
  ["LICENSE-MIT", "licence"],
  ["LICENSE-2.0", "licence"],
  ["docs/NOTICE.md", "licence"],
  ["src/license.ts", "source"],
  ["src/notice.go", "source"],
  ["licenses-report.py", "source"],
  ["art/hero.png", "binary"],
])("%s is %s", (path, expected) => expect(classifyFile(file(path))).toBe(expected));

test("what the VCS knows comes before the name", () => {
  expect(classifyFile(file("src/a.ts", { isBinary: true }))).toBe("binary");
  expect(classifyFile(file("src/a.ts", { isLfs: true, isBinary: true }))).toBe("lfs");
  expect(classifyFile(file("vendor/lib", { isSubmodule: true }))).toBe("submodule");
  expect(classifyFile(file("src/a.ts", { isGenerated: true }))).toBe("generated");
});

describe("isReviewable", () => {
  const carried = [file("yarn.lock"), file("a.png", { isBinary: true }), file("LICENSE"), file("x.min.js")];
  test("is false when only carried files changed", () => expect(isReviewable(carried)).toBe(false));
  test("is true with one source file among them", () => expect(isReviewable([...carried, file("a.c")])).toBe(true));
  test("is true for a deletion of source, though it has no anchors", () => {
    expect(isReviewable([file("a.c", { kind: "delete" })])).toBe(true);
    expect(isReviewable([file("yarn.lock", { kind: "delete" })])).toBe(false);
  });
  test("is false without files", () => expect(isReviewable([])).toBe(false));
});
