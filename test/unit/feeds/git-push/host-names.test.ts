// Which configured repository a payload means, by the name in its address and by the hosts that may share names.
import { describe, expect, it } from "vitest";
import { findRepositories, nameOfUrl } from "../../../../src/feeds/git-push/host-names.ts";

it.each([
  ["https://git.example.com/team/game.git", "team/game"],
  ["https://bot@git.example.com:8443/Team/Game/", "team/game"],
  ["https://git.example.com/group/sub/game.git", "group/sub/game"],
  ["ssh://git@git.example.com:7999/team/game.git", "team/game"],
  ["git@git.example.com:team/game.git", "team/game"],
  ["git.example.com:/team/game", "team/game"],
  ["https://git.example.com/scm/team/game.git", "team/game"],
  ["https://git.example.com/bitbucket/scm/~alice/game.git", "~alice/game"],
  ["https://git.example.com/team/%D0%B4%D0%BE%D0%BC.git", "team/дом"],
  ["https://git.example.com/%", "%"],
  ["/srv/game", null],
  ["game", null],
])("the name of %s is %j", (url, name) => {
  expect(nameOfUrl(url)).toBe(name);
});

describe("a payload", () => {
  const cloud = { alias: "cloud", names: ["team/game"], url: "https://cloud.example/team/game.git" };
  const own = { alias: "own", names: ["team/game"], url: "git@own.example:team/game.git" };
  const local = { alias: "local", names: ["Team/Other", "moved/other"] };
  const all = [cloud, own, local];

  function found(names: readonly string[], urls: readonly string[] = []): readonly string[] {
    return findRepositories(all, { names, urls }).map(({ alias }) => alias);
  }

  it("means the repository of its host where two have one name", () => {
    expect(found(["team/game"], ["https://own.example/team/game"])).toEqual(["own"]);
    expect(found(["team/game"], ["ssh://git@CLOUD.example:22/team/game.git"])).toEqual(["cloud"]);
  });

  it("means all of that name where its addresses are none that is configured", () => {
    expect(found(["team/game"], ["http://10.0.0.5:3000/team/game.git", "not an address"])).toEqual(["cloud", "own"]);
    expect(found(["team/game"])).toEqual(["cloud", "own"]);
  });

  it("names whatever case and ending, and never by its address alone", () => {
    expect(found(["/TEAM/other.git"])).toEqual(["local"]);
    expect(found(["moved/other"])).toEqual(["local"]);
    expect(found(["x/y"], ["https://cloud.example/team/game.git"])).toEqual([]);
    expect(found([])).toEqual([]);
  });
});
