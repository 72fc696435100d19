// The means by which the Block Kit rules are written: a check reports what is wrong at a JSON pointer.

export interface BlockMistake {
  readonly pointer: string;
  readonly message: string;
}

export type Surface = "message" | "modal" | "home";

/** What is gathered over one message or view while its parts are checked. */
export interface Walk {
  readonly surface: Surface;
  readonly mistakes: BlockMistake[];
  readonly blockIds: Set<string>;
  readonly actionIds: Set<string>;
  /** Characters of all cells of all tables. */
  tableText: number;
  tables: number;
  charts: number;
  /** Characters of all markdown blocks. */
  markdownText: number;
  /** Characters of everything people read. */
  text: number;
}

export type Check = (value: unknown, pointer: string, walk: Walk) => void;

export function wrong(walk: Walk, pointer: string, message: string): void {
  walk.mistakes.push({ pointer, message });
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An object with exactly these keys; those with `?` at the end of their name may be absent. */
export function record(keys: Readonly<Record<string, Check>>, more?: Check): Check {
  const required = Object.keys(keys).filter((key) => !key.endsWith("?"));
  const known = new Map(Object.entries(keys).map(([key, check]) => [key.replace(/\?$/, ""), check]));
  return (value, pointer, walk) => {
    if (!isRecord(value)) return wrong(walk, pointer, "must be an object");
    for (const key of required) if (value[key] === undefined) wrong(walk, pointer, `missing required field: ${key}`);
    for (const [key, item] of Object.entries(value)) {
      const check = known.get(key);
      if (check === undefined) wrong(walk, `${pointer}/${key}`, `unknown field: ${key}`);
      else check(item, `${pointer}/${key}`, walk);
    }
    more?.(value, pointer, walk);
  };
}

export function list(check: Check, least: number, most: number): Check {
  return (value, pointer, walk) => {
    if (!Array.isArray(value)) return wrong(walk, pointer, "must be an array");
    if (value.length < least) wrong(walk, pointer, `must have at least ${least} items`);
    if (value.length > most) wrong(walk, pointer, `no more than ${most} items allowed [${value.length}]`);
    for (const [index, item] of value.entries()) check(item, `${pointer}/${index}`, walk);
  };
}

export function text(least: number, most: number): Check {
  return (value, pointer, walk) => {
    if (typeof value !== "string") return wrong(walk, pointer, "must be a string");
    if (/\p{Surrogate}/u.test(value)) wrong(walk, pointer, "holds half of a surrogate pair");
    if (value.length < least) wrong(walk, pointer, `must be more than ${least - 1} characters`);
    if (value.length > most) wrong(walk, pointer, `must be less than ${most + 1} characters`);
  };
}

export function matching(pattern: RegExp): Check {
  return (value, pointer, walk) => {
    if (typeof value !== "string" || !pattern.test(value)) wrong(walk, pointer, `must match ${pattern.source}`);
  };
}

export function oneOf(...values: readonly unknown[]): Check {
  return (value, pointer, walk) => {
    if (!values.includes(value)) wrong(walk, pointer, `must be one of ${values.join(", ")}`);
  };
}

export const flag: Check = oneOf(true, false);

export function integer(least: number, most: number): Check {
  return (value, pointer, walk) => {
    if (!Number.isInteger(value) || Number(value) < least || Number(value) > most) {
      wrong(walk, pointer, `must be an integer from ${least} to ${most}`);
    }
  };
}

/** By the object's `type`. */
export function byType(kinds: Readonly<Record<string, Check>>): Check {
  return (value, pointer, walk) => {
    const type = isRecord(value) ? value["type"] : undefined;
    const check = typeof type === "string" && Object.hasOwn(kinds, type) ? kinds[type] : undefined;
    if (check === undefined) wrong(walk, `${pointer}/type`, `unsupported type: ${String(type)}`);
    else check(value, pointer, walk);
  };
}

export function both(...checks: readonly Check[]): Check {
  return (value, pointer, walk) => {
    for (const check of checks) check(value, pointer, walk);
  };
}

/** Counts a text towards the sum that makes a message too long. */
export const counted: Check = (value, _pointer, walk) => {
  if (typeof value === "string") walk.text += value.length;
};
