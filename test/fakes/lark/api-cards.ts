// Judges cards as the platform does, from its own description of JSON 2.0: nothing here knows the product's linter.
import * as z from "zod";

/** What the platform says within error 230099. */
export interface CardFault {
  readonly errCode: number;
  readonly errMsg: string;
}

const plain = z.strictObject({
  tag: z.literal("plain_text"),
  content: z.string(),
  text_size: z.string().optional(),
  text_color: z.string().optional(),
  text_align: z.enum(["left", "center", "right"]).optional(),
  lines: z.number().int().optional(),
  i18n_content: z.record(z.string(), z.string()).optional(),
});
const id = z
  .string()
  .regex(/^[a-zA-Z]\w*$/)
  .max(20)
  .optional();
const pixels = z.string().optional();
const webLink = z.url({ protocol: /^https?$/ });

const behavior = z.union([
  z.strictObject({
    type: z.literal("open_url"),
    default_url: webLink,
    pc_url: z.string().optional(),
    ios_url: z.string().optional(),
    android_url: z.string().optional(),
  }),
  z.strictObject({ type: z.literal("callback"), value: z.record(z.string(), z.unknown()) }),
]);

const confirm = z.strictObject({ title: plain, text: plain.optional() });

const leaves = [
  z.strictObject({
    tag: z.literal("markdown"),
    element_id: id,
    margin: pixels,
    content: z.string(),
    text_align: z.string().optional(),
    text_size: z.string().optional(),
    icon: z.unknown().optional(),
    i18n_content: z.record(z.string(), z.string()).optional(),
  }),
  z.strictObject({
    tag: z.literal("div"),
    element_id: id,
    margin: pixels,
    text: plain,
    width: pixels,
    icon: z.unknown().optional(),
  }),
  z.strictObject({ tag: z.literal("hr"), element_id: id, margin: pixels }),
  z.strictObject({
    tag: z.literal("img"),
    element_id: id,
    margin: pixels,
    img_key: z.string(),
    alt: plain,
    title: plain.optional(),
    scale_type: z.string().optional(),
    size: z.string().optional(),
    corner_radius: pixels,
    transparent: z.boolean().optional(),
    preview: z.boolean().optional(),
  }),
  z.strictObject({
    tag: z.literal("button"),
    element_id: id,
    margin: pixels,
    name: z.string().optional(),
    type: z
      .enum([
        "default",
        "primary",
        "danger",
        "text",
        "primary_text",
        "danger_text",
        "primary_filled",
        "danger_filled",
        "laser",
      ])
      .optional(),
    size: z.string().optional(),
    width: z.string().optional(),
    text: plain,
    icon: z.unknown().optional(),
    hover_tips: plain.optional(),
    disabled: z.boolean().optional(),
    disabled_tips: plain.optional(),
    confirm: confirm.optional(),
    behaviors: z.array(behavior).optional(),
    form_action_type: z.enum(["submit", "reset"]).optional(),
    required: z.boolean().optional(),
  }),
  z.strictObject({
    tag: z.literal("input"),
    element_id: id,
    margin: pixels,
    name: z.string().min(1),
    required: z.boolean().optional(),
    placeholder: plain.optional(),
    label: plain.optional(),
    label_position: z.enum(["top", "left"]).optional(),
    default_value: z.string().optional(),
    disabled: z.boolean().optional(),
    width: z.string().optional(),
    max_length: z.number().int().min(1).max(1000).optional(),
    input_type: z.enum(["text", "multiline_text", "password"]).optional(),
    rows: z.number().int().min(1).optional(),
    auto_resize: z.boolean().optional(),
    max_rows: z.number().int().optional(),
    behaviors: z.array(behavior).optional(),
    confirm: confirm.optional(),
  }),
] as const;

interface Node {
  readonly tag: string;
  readonly [name: string]: unknown;
}

const column = z.strictObject({
  tag: z.literal("column"),
  element_id: id,
  margin: pixels,
  width: z.string().optional(),
  weight: z.number().int().min(1).max(5).optional(),
  background_style: z.string().optional(),
  vertical_align: z.string().optional(),
  horizontal_align: z.string().optional(),
  vertical_spacing: pixels,
  horizontal_spacing: pixels,
  padding: pixels,
  direction: z.enum(["vertical", "horizontal"]).optional(),
  get elements() {
    return z.array(inner).optional();
  },
});
const columnSet = z.strictObject({
  tag: z.literal("column_set"),
  element_id: id,
  margin: pixels,
  flex_mode: z.enum(["none", "stretch", "flow", "bisect", "trisect"]).optional(),
  background_style: z.string().optional(),
  horizontal_spacing: pixels,
  horizontal_align: z.string().optional(),
  columns: z.array(column).min(1),
});
const inner: z.ZodType<Node> = z.lazy(() =>
  z.union([z.discriminatedUnion("tag", leaves), columnSet]),
) as z.ZodType<Node>;
const form = z.strictObject({
  tag: z.literal("form"),
  element_id: id,
  margin: pixels,
  name: z.string().min(1),
  elements: z.array(inner).min(1),
  direction: z.string().optional(),
  padding: pixels,
  vertical_spacing: pixels,
  horizontal_spacing: pixels,
});

const tag = z.strictObject({ tag: z.literal("text_tag"), text: plain, color: z.string().optional(), element_id: id });
const shell = z.strictObject({
  schema: z.literal("2.0"),
  config: z.strictObject({
    update_multi: z.literal(true),
    width_mode: z.enum(["default", "fill", "compact"]).optional(),
    enable_forward: z.boolean().optional(),
    summary: z
      .strictObject({ content: z.string(), i18n_content: z.record(z.string(), z.string()).optional() })
      .optional(),
  }),
  header: z
    .strictObject({
      title: plain,
      subtitle: plain.optional(),
      template: z
        .enum([
          "default",
          "blue",
          "wathet",
          "turquoise",
          "green",
          "yellow",
          "orange",
          "red",
          "carmine",
          "violet",
          "purple",
          "indigo",
          "grey",
        ])
        .optional(),
      text_tag_list: z.array(tag).max(3).optional(),
    })
    .optional(),
  card_link: z.strictObject({ url: webLink }).optional(),
  body: z.strictObject({
    elements: z.array(z.unknown()).min(1),
    direction: z.string().optional(),
    padding: pixels,
    vertical_spacing: pixels,
    horizontal_spacing: pixels,
  }),
});

/** Null for a card that is taken. @param hasImage whether that picture was uploaded. */
export function judgeCard(card: unknown, hasImage: (key: string) => boolean): CardFault | null {
  const nodes = allNodes(card);
  const gone = nodes.find(({ tag: name }) => name === "note" || name === "action");
  if (gone !== undefined)
    return fault(200861, `cards of schema V2 no longer support this capability; unsupported tag ${gone.tag}`);
  const shape = shell.safeParse(card);
  if (!shape.success) return fromIssue(shape.error.issues[0]);
  for (const element of shape.data.body.elements) {
    const name = (element as Partial<Node> | null)?.tag;
    const schema = name === "form" ? form : inner;
    const read = schema.safeParse(element);
    if (!read.success) return fromIssue(deepest(read.error.issues));
  }
  return judgeWhole(nodes, hasImage);
}

function judgeWhole(nodes: readonly Node[], hasImage: (key: string) => boolean): CardFault | null {
  if (nodes.length > 200) return fault(11310, `element exceeds the limit, got ${nodes.length}`);
  const ids = nodes.map(({ element_id: own }) => own).filter((own) => own !== undefined);
  if (new Set(ids).size < ids.length) return fault(200621, "element id repeated");
  const names = nodes.filter(({ tag: name }) => name === "input").map(({ name }) => name);
  if (new Set(names).size < names.length) return fault(200621, "input name repeated");
  const image = nodes.find(({ tag: name, img_key: key }) => name === "img" && !hasImage(String(key)));
  if (image !== undefined) return fault(200570, `invalid image key: ${String(image["img_key"])}`);
  const texts = nodes.filter(({ tag: name }) => name === "markdown").map(({ content }) => String(content));
  const tables = texts.reduce((sum, text) => sum + tablesIn(text), 0);
  if (tables > 3) return fault(11310, `card table number over limit, got ${tables}`);
  const pictures = texts.flatMap((text) =>
    [...proseOf(text).matchAll(/!\[[^\]]*]\(([^)]*)\)/g)].map(([, key = ""]) => key),
  );
  const unknown = pictures.find((key) => !hasImage(key));
  if (unknown !== undefined) return fault(200570, `invalid image key: ${unknown}`);
  for (const one of nodes.filter(({ tag: name }) => name === "form")) {
    const submits = allNodes(one).some(({ form_action_type: type }) => type === "submit");
    if (!submits) return fault(200621, "form has no submit button");
  }
  return null;
}

/** Every object with a tag, wherever it stands. */
function allNodes(value: unknown): readonly Node[] {
  if (Array.isArray(value)) return value.flatMap(allNodes);
  if (typeof value !== "object" || value === null) return [];
  const below = Object.values(value).flatMap(allNodes);
  return "tag" in value && typeof value.tag === "string" ? [value as Node, ...below] : below;
}

function withoutFences(text: string): string {
  return text.replace(/^(`{3,})[^\n]*\n[\s\S]*?^\1`*[ ]*$/gm, "");
}

function proseOf(text: string): string {
  return withoutFences(text)
    .split("`")
    .filter((_, index) => index % 2 === 0)
    .join(" ");
}

function tablesIn(text: string): number {
  const outside = withoutFences(text);
  return [...outside.matchAll(/^ {0,3}\|.*\|[ ]*\n {0,3}\|(?: *:?-+:? *\|)+/gm)].length;
}

/** Unions report each branch: the one that came furthest tells what is wrong. */
function deepest(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined {
  const flat = issues.flatMap((issue): readonly z.core.$ZodIssue[] =>
    issue.code === "invalid_union" && issue.errors.length > 0
      ? issue.errors.map((branch) => deepest(branch)).filter((found) => found !== undefined)
      : [issue],
  );
  return (
    flat.find(({ code }) => code === "unrecognized_keys") ?? flat.toSorted((a, b) => b.path.length - a.path.length)[0]
  );
}

function fromIssue(issue: z.core.$ZodIssue | undefined): CardFault {
  if (issue?.code === "unrecognized_keys") return fault(200621, `unknown property, property: ${issue.keys.join(", ")}`);
  return fault(200621, `parse card json err, ${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`);
}

function fault(errCode: number, errMsg: string): CardFault {
  return { errCode, errMsg };
}
