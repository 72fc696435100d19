// English texts of the checks agent.

export const en = {
  "conflict.marker": "A merge conflict was committed unresolved (its markers end on line {last}).",
  "conflict.marker.fix": "Choose one side and delete the three marker lines.",
  "unicode.bidi":
    "The line contains the bidirectional control character {character}: editors may show it in another order than it runs (CVE-2021-42574).",
  "unicode.invisible":
    "An invisible character ({character}) stands inside a name, which makes it differ from the name it looks like.",
  "unicode.lookalike":
    "A name mixes ASCII with the look-alike letter {character}, which makes it differ from the name it looks like.",
  "unicode.fix": "Remove the character, or write it as an escape sequence if it is meant.",
  "secret.found": "This looks like a real credential ({label}). Once pushed it must be considered known to others.",
  "secret.fix":
    "Revoke the credential, read it from the environment or a secret store instead, and take it out of the history.",
  "syntax.json": "This is not valid JSON: {detail}.",
  "syntax.yaml": "This is not valid YAML: {detail}",
  "syntax.toml": "This is not valid TOML: {detail}",
  "syntax.code": "The {language} parser cannot read this place.",
  "data.duplicateKey": "The key `{key}` is given twice in one object; most readers silently keep the last value only.",
  "data.duplicateKeyHere":
    "This key was given already in the same mapping; the value of one of them is lost or the file is refused.",
  "tree.assignmentInCondition":
    "The condition assigns with `=` where a comparison is expected, so it always takes the assigned value.",
  "tree.sameOperands": "Both operands of `{operator}` are the same (`{operand}`), so the result is known beforehand.",
  "tree.selfAssignment": "`{operand}` is assigned to itself, which does nothing.",
  "tree.sameBranches": "Both branches do the same, so the condition has no effect.",
  "tree.repeatedCondition": "This branch repeats the condition `{operand}` of an earlier branch and is never reached.",
  "tree.emptyBody": "The `;` right after the parentheses is the whole body: the block that follows always runs once.",
  "tree.wrongDirection": "The loop counts away from its bound, so it runs never or (nearly) for ever.",
  "tree.bitPrecedence": "`{operator}` binds tighter than `&`, `|` and `^`, so the comparison is made first.",
  "tree.notPrecedence": "The negation applies to `{operand}` alone and not to the whole comparison.",
  "tree.nanComparison": "A comparison with NaN is always the same, whatever the other operand is.",
  "tree.repeatedKey": "The key `{operand}` is given twice in one table; the first value is lost.",
  "tree.formatCount": "The format has {wanted} placeholders, but {given} values are given.",
  "tree.formatUnused": "`{operand}` does not format: the placeholder is printed as it stands.",
  "tree.unusedResult": "`{operand}` returns its result and changes nothing in place; the result is dropped here.",
  "c.gets": "`gets` cannot limit what it reads and overflows its buffer; it was removed from the language.",
  "c.scanfUnbounded": "`%s` without a width lets the input overflow the buffer.",
  "c.formatString":
    "`{operand}` comes from outside and is used as the format string; placeholders in it read or write memory.",
  "c.unboundedCopy": "`{operand}` copies a text of unknown length into a buffer of fixed size.",
  "c.memsetOrder": "`memset` gets a length of 0: the value and the length are swapped, so nothing is cleared.",
  "c.mallocStrlen": "`strlen` does not count the final NUL, so the allocated block is one byte too short.",
  "c.doubleFree": "`{operand}` is freed twice.",
  "c.useAfterFree": "`{operand}` is used after it was freed.",
  "c.returnLocal": "The address of the local array `{operand}` is returned; it is gone once the function ends.",
  "c.stringComparison": "`==` compares the addresses of two texts and not what they say; `strcmp` compares the texts.",
  "cpp.deleteMismatch": "`{operand}` was allocated with `new[]` and must be released with `delete[]`.",
  "go.errOverwritten": "The error of the call above is overwritten here before anybody looked at it.",
  "go.deferBeforeCheck": "`{operand}` may be nil here: the error is checked only after the `defer`.",
  "go.returnNilError": "This branch runs only if `err` is nil, so the caller is told that all went well.",
  "go.waitGroupAdd": "`Add` runs inside the goroutine, so `Wait` may return before the goroutine was counted.",
  "go.sleepUnit": "A bare number is nanoseconds here; a unit such as `* time.Second` seems to be missing.",
  "go.insecureTls":
    "`InsecureSkipVerify: true` accepts any certificate, so anybody on the way can read and change the traffic.",
  "csharp.rethrow": "`throw {operand};` resets the stack trace; `throw;` keeps it.",
  "csharp.binaryFormatter": "`BinaryFormatter` runs code chosen by whoever wrote the data; no input is safe for it.",
  "lua.accidentalGlobal":
    "`{operand}` is local elsewhere in this file, but here it is assigned without `local` and becomes a global.",
  "lua.emptyRange": "The loop never runs: its start is above its end and there is no negative step.",
  "bash.gluedBracket": "`[` is a command and needs a space behind it and before `]`.",
  "bash.redirectInTest":
    "Inside `[ ]` the operator `{operator}` redirects to a file; use `{wanted}` for numbers or `[[ ]]`.",
  "bash.spacedAssignment": "With spaces around `=` the shell runs a command named `{operand}` instead of assigning.",
  "bash.removeRoot": "If `{operand}` is empty, this deletes from the root of the file system; write `{guarded}`.",
  "bash.redirectOrder": "`2>&1` before the redirection leaves errors on the terminal; it belongs behind it.",
  "sql.injection":
    "The value is put into the SQL text as it is, so whoever chooses it can change the query; pass it as a parameter.",
  "test.only": "`.only` was left in: all other tests of this file are skipped without a word.",
  "summary.title": "Automatic checks",
  "summary.checked": "Files checked: {files}, with {engines}.",
  "summary.textChecks": "text checks",
  "summary.capped": "Not listed are {count} more of the same kinds: {files}.",
  "summary.failed": "`{engine}` did not finish, so what it looks for was not checked: {message}",
  "summary.skipped": "Not looked at: {list}.",
  "summary.reason.lock": "lock files: {count}",
  "summary.reason.vendored": "vendored files: {count}",
  "summary.reason.generated": "generated files: {count}",
  "summary.reason.minified": "minified files: {count}",
  "summary.reason.binary": "binary files: {count}",
  "summary.reason.large": "too large, by themselves (over {limit} MB) or by their diff: {count}",
  "summary.reason.missing": "without a text that could be had: {count}",
} as const;

export type TextKey = keyof typeof en;

/** What every other language must have: the same keys. */
export type Catalogue = Readonly<Record<TextKey, string>>;
