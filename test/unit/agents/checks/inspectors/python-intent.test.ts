// Python that breaks a rule on purpose, told from Python that is wrong.
import { describe, expect, it } from "vitest";
import { isMeant } from "../../../../../src/agents/checks/inspectors/python-intent.ts";

function judge(code: string, lines: readonly string[], row: number, message = "", mark = ""): boolean {
  const column = mark === "" ? 1 : (lines[row - 1] ?? "").indexOf(mark) + 1;
  return isMeant({ code, message, start_location: { row, column } }, lines);
}

describe("isMeant", () => {
  it("a mutable default matters only where it is changed", () => {
    expect(judge("B006", ["def f(a, to=[]):", "    to.append(a)", "    return to"], 1, "", "[]")).toBe(false);
    expect(judge("B006", ["def f(a, to=[]):", "    return a in to", "", "to.append(1)"], 1, "", "[]")).toBe(true);
    expect(judge("B006", ["def f(", "    a,", "    to={},", "):", "    to[a] = 1"], 3, "", "{}")).toBe(false);
    expect(judge("B006", ["def f(a, _cache={}):", "    _cache[a] = 1"], 1, "", "{}")).toBe(true);
  });

  it("a shell command is dangerous where it is put together", () => {
    expect(judge("S602", ['call("rm " + name, shell=True)'], 1)).toBe(false);
    expect(judge("S602", ["call(", '    f"rm {name}",', "    shell=True)"], 1)).toBe(false);
    expect(judge("S602", ["call(command, shell=True)"], 1)).toBe(true);
  });

  it("a name may be made at run time", () => {
    const message = "Undefined name `CONTINUE`";
    expect(judge("F821", ["print(CONTINUE)"], 1, message)).toBe(false);
    expect(judge("F821", ["globals().update(x)", "print(CONTINUE)"], 2, message)).toBe(true);
    expect(judge("F821", ["print(CONTINUE)", "del CONTINUE"], 1, message)).toBe(true);
  });

  it("a definition hides an earlier definition, not a parameter or a placeholder", () => {
    const message = "Redefinition of unused `load` from line 1: `load` redefined here";
    expect(judge("F811", ["def load(): pass", "def load(): pass"], 2, message)).toBe(false);
    expect(judge("F811", ["def load(): pass", "def other(load): pass"], 2, message)).toBe(true);
    expect(judge("F811", ["load = None", "def load(): pass"], 2, message)).toBe(true);
  });

  it("an alias at the top and a spelled-out branch assign to themselves on purpose", () => {
    expect(judge("PLW0127", ["Error = Error"], 1)).toBe(true);
    expect(judge("PLW0127", ["    else:", "        a = a"], 2)).toBe(true);
    expect(judge("PLW0127", ["def f(a):", "    a = a"], 2)).toBe(false);
  });
});
