// The demo repository: deterministic, made once, and showing what its comments promise.
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { processes } from "../../../../src/process/spawn.ts";
import { createDemoRepository } from "../../../../src/vcs/git/demo.ts";
import { temporaryDirectory } from "../../../fakes/git-repository.ts";
import { clock, type Fixture, openVcs } from "./support.ts";

const parent = temporaryDirectory();
const directory = join(parent.path, "demo");
let fixture: Fixture;

beforeAll(async () => {
  await createDemoRepository(directory, { processes, clock });
  fixture = openVcs(directory, { repository: "demo" });
});
afterAll(() => {
  fixture.remove();
  parent.remove();
});

async function reviewed(spec: string) {
  const change = await fixture.vcs.resolve({ spec });
  const { files } = await fixture.vcs.listChanges(change);
  return { change, files, paths: files.map((file) => file.path) };
}

describe("the demo repository", () => {
  it("has the same ids everywhere", async () => {
    const { head, defaultBranch } = await fixture.vcs.check();
    expect(defaultBranch).toBe("main");
    expect(head?.canonical).toMatchInlineSnapshot(`"a6c7f4aaba09e629f141b005bf14ea36c6d37f08"`);
  });

  it("is made once, also by several at a time, and leaves nothing beside it", async () => {
    const other = join(parent.path, "other");
    await Promise.all([1, 2, 3].map(() => createDemoRepository(other, { processes, clock })));
    writeFileSync(join(other, "mark"), "");
    await createDemoRepository(other, { processes, clock });
    expect(existsSync(join(other, "mark"))).toBe(true);
    expect(readdirSync(parent.path).sort()).toEqual(["demo", "other"]);
  });

  it("shows problems in the newest change", async () => {
    const { paths, change } = await reviewed("");
    expect(change.baseReason).toBe("first_parent");
    expect(paths).toEqual([
      "config/archive.env",
      "config/receipts.json",
      "docs/receipts.md",
      "src/access.ts",
      "src/receipts.ts",
    ]);
    const { text } = await fixture.vcs.fetchExtraContext({ revision: change.head.canonical, path: paths[0] ?? "" });
    expect(text).toMatch(/^AWS_ACCESS_KEY_ID=AKIA[A-Z0-9]{16}$/m);
    expect(text).toMatch(/^AWS_SECRET_ACCESS_KEY=[A-Za-z0-9/]{40}$/m);
  });

  it("has a clean change before it, one without reviewable code, a branch and a release", async () => {
    expect((await reviewed("main~1")).paths).toEqual(["src/shipping.ts"]);
    expect((await reviewed("main~2")).files).toMatchObject([
      { path: "docs/logo.png", isBinary: true },
      { path: "package-lock.json", isBinary: false },
    ]);
    const feature = await reviewed("feature/discounts");
    expect(feature.paths).toEqual(["src/discounts.ts"]);
    expect(feature.change.baseReason).toBe("merge_base");
    expect((await reviewed("v1.0.0")).change.head.message).toBe("Release 1.0.0");
  });
});
