// Perforce's file types: a base type with modifiers, or one of the older names for such a pair.

export interface FileType {
  readonly base: string;
  readonly isBinary: boolean;
  readonly isSymlink: boolean;
  readonly isExecutable: boolean;
  /** Octal text as git has it, which is what the rest of the product shows. */
  readonly mode: string;
}

const BASES = ["text", "binary", "symlink", "apple", "resource", "unicode", "utf8", "utf16"];
/** The longest first, so that `uxbinary` is not read as `u` and a rest. */
const OLD_PREFIX = /^(?:cx|kx|ux|xl|xu|c|k|l|u|x)(?=text$|binary$|unicode$|utf8$|utf16$|resource$|tempobj$)/;

/** Unknown bases count as text: whether the content is text shows when it is read. */
export function readFileType(type: string): FileType {
  const [name = "", modifiers = ""] = type.split("+");
  const prefix = BASES.includes(name) ? "" : (OLD_PREFIX.exec(name)?.[0] ?? "");
  const rest = name.slice(prefix.length);
  const base = rest === "tempobj" ? "binary" : rest;
  const isSymlink = base === "symlink";
  const isExecutable = prefix.includes("x") || modifiers.includes("x");
  return {
    base,
    isBinary: base === "binary" || base === "apple" || base === "resource",
    isSymlink,
    isExecutable,
    mode: isSymlink ? "120000" : isExecutable ? "100755" : "100644",
  };
}
