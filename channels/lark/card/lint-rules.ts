// What the linter looks for, its limits, and what its parts share.

export type LintRule =
  | "shape"
  | "missing"
  | "unknown_property"
  | "unknown_tag"
  | "removed_tag"
  | "value"
  | "schema"
  | "update_multi"
  | "header_tags"
  | "element_id"
  | "elements"
  | "bytes"
  | "nesting"
  | "tables"
  | "placement"
  | "form"
  | "input_name"
  | "confirm"
  | "url"
  | "image"
  | "mention";

export interface LintVerdict {
  readonly rule: LintRule;
  /** Where, as `body.elements[3].columns[0]`. */
  readonly path: string;
  readonly message: string;
}

/** What is gathered over the whole card. */
export interface LintState {
  readonly ids: Map<string, string>;
  readonly inputs: Map<string, string>;
  readonly forms: Map<string, string>;
  /** Objects with a tag, nested ones too. */
  elements: number;
  tableElements: number;
  markdownTables: number;
  report(rule: LintRule, path: string, message: string): void;
}

export const cardLimits = {
  bytes: 28 * 1024,
  /** The platform takes 30 KB of a request's body, where the card is a text within JSON; the rest is room for its neighbours. */
  bodyBytes: 30 * 1024 - 512,
  elements: 200,
  containerLevels: 5,
  headerTags: 3,
  tableElements: 5,
  markdownTablesOfOneElement: 4,
  /** The platform names no number; a fourth was seen to be refused. */
  markdownTables: 3,
} as const;

export type Fields = Readonly<Record<string, unknown>>;

/** Reports what is not among the known properties: 2.0 refuses them. */
export function known(fields: Fields, path: string, names: readonly string[], state: LintState): void {
  for (const name of Object.keys(fields)) {
    if (!names.includes(name))
      state.report("unknown_property", path === "" ? name : `${path}.${name}`, "is no property of 2.0");
  }
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isWebUrl(value: unknown): boolean {
  return typeof value === "string" && /^https?:\/\/[^\s]+$/i.test(value);
}
