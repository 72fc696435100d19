// One element of a card and what stands in it: known tags, known properties, and what each of them asks for.
import { lintMarkdown } from "./lint-markdown.ts";
import { cardLimits, type Fields, isFields, isWebUrl, known, type LintState } from "./lint-rules.ts";
import { partTags, removedTags, tagRules } from "./lint-tags.ts";

/** @param allowed tags that may stand there; `root` and `inner` are elements of a body and of a container. */
export function lintElement(
  value: unknown,
  path: string,
  allowed: readonly string[] | "root" | "inner",
  level: number,
  state: LintState,
): void {
  if (!isFields(value)) {
    state.report("shape", path, "must be an object with a tag");
    return;
  }
  const { tag } = value;
  if (typeof tag !== "string") {
    state.report("missing", `${path}.tag`, "every element has a tag");
    return;
  }
  state.elements += 1;
  if (removedTags.has(tag)) {
    state.report("removed_tag", path, `2.0 has no "${tag}"`);
    return;
  }
  const rule = tagRules[tag];
  if (rule === undefined) {
    state.report("unknown_tag", path, `"${tag}" is none of the tags that the bot sends`);
    return;
  }
  const fits = typeof allowed === "string" ? !partTags.has(tag) && tag !== "column" : allowed.includes(tag);
  if (!fits || (rule.rootOnly === true && allowed !== "root"))
    state.report("placement", path, `"${tag}" cannot stand there`);
  known(value, path, rule.properties, state);
  for (const name of rule.required ?? []) {
    if (value[name] === undefined) state.report("missing", `${path}.${name}`, `"${tag}" needs it`);
  }
  lintId(value, path, state);
  lintOwn(tag, value, path, level, state);
  if (rule.children === undefined) return;
  const inner = rule.isContainer === true ? level + 1 : level;
  if (inner > cardLimits.containerLevels) {
    state.report("nesting", path, `stands in ${inner - 1} containers, ${cardLimits.containerLevels} are allowed`);
  }
  lintChildren(
    value[rule.children],
    `${path}.${rule.children}`,
    tag === "column_set" ? ["column"] : "inner",
    inner,
    state,
  );
}

function lintChildren(
  children: unknown,
  path: string,
  allowed: readonly string[] | "inner",
  level: number,
  state: LintState,
): void {
  if (children === undefined) return;
  if (!Array.isArray(children)) {
    state.report("shape", path, "must be a list");
    return;
  }
  for (const [index, child] of children.entries()) lintElement(child, `${path}[${index}]`, allowed, level, state);
}

function lintId({ element_id: id }: Fields, path: string, state: LintState): void {
  if (id === undefined) return;
  if (typeof id !== "string" || !/^[A-Za-z][0-9A-Za-z_]{0,19}$/.test(id)) {
    state.report("element_id", `${path}.element_id`, "must be a letter and at most 19 letters, digits or _");
    return;
  }
  const other = state.ids.get(id);
  if (other !== undefined) state.report("element_id", `${path}.element_id`, `"${id}" is the id of ${other}`);
  else state.ids.set(id, path);
}

function lintOwn(tag: string, value: Fields, path: string, level: number, state: LintState): void {
  switch (tag) {
    case "plain_text":
    case "lark_md":
      if (typeof value["content"] !== "string") state.report("value", `${path}.content`, "must be a text");
      return;
    case "text_tag":
      lintElement(value["text"], `${path}.text`, ["plain_text"], level, state);
      return;
    case "div":
      lintElement(value["text"], `${path}.text`, ["plain_text", "lark_md"], level, state);
      return;
    case "markdown":
      if (typeof value["content"] === "string") {
        lintMarkdown(value["content"], path, state);
        return;
      }
      state.report("value", `${path}.content`, "must be a text");
      return;
    case "img":
      lintImage(value, path, level, state);
      return;
    case "button":
      lintButton(value, path, level, state);
      return;
    case "input":
      lintInput(value, path, level, state);
      return;
    case "form":
      lintForm(value, path, state);
      return;
    case "collapsible_panel":
      lintPanel(value, path, level, state);
      return;
    case "table":
      state.tableElements += 1;
      lintTable(value, path, state);
      return;
  }
}

function lintImage(value: Fields, path: string, level: number, state: LintState): void {
  const { img_key: key, alt } = value;
  if (typeof key !== "string" || !/^img_[0-9A-Za-z_-]+$/.test(key)) {
    state.report("image", `${path}.img_key`, "must be the key of an uploaded picture (img_…)");
  }
  if (alt !== undefined) lintElement(alt, `${path}.alt`, ["plain_text"], level, state);
}

function lintButton(value: Fields, path: string, level: number, state: LintState): void {
  const { text, confirm, behaviors, type } = value;
  if (text !== undefined) lintElement(text, `${path}.text`, ["plain_text"], level, state);
  if (
    type !== undefined &&
    !/^(?:default|primary|danger|text|primary_text|danger_text|primary_filled|danger_filled|laser)$/.test(String(type))
  ) {
    state.report("value", `${path}.type`, "is no look of a button");
  }
  if (confirm !== undefined) {
    if (!isFields(confirm) || confirm["title"] === undefined)
      state.report("confirm", `${path}.confirm`, "needs a title");
    else lintElement(confirm["title"], `${path}.confirm.title`, ["plain_text"], level, state);
  }
  if (behaviors === undefined) return;
  if (!Array.isArray(behaviors)) {
    state.report("shape", `${path}.behaviors`, "must be a list");
    return;
  }
  for (const [index, behavior] of behaviors.entries()) lintBehavior(behavior, `${path}.behaviors[${index}]`, state);
}

function lintBehavior(behavior: unknown, path: string, state: LintState): void {
  if (!isFields(behavior)) {
    state.report("shape", path, "must be an object");
    return;
  }
  switch (behavior["type"]) {
    case "open_url":
      known(behavior, path, ["type", "default_url", "pc_url", "ios_url", "android_url"], state);
      if (!isWebUrl(behavior["default_url"])) state.report("url", `${path}.default_url`, "is no http or https address");
      return;
    case "callback":
      known(behavior, path, ["type", "value"], state);
      if (!isFields(behavior["value"])) state.report("value", `${path}.value`, "must be an object, not a text");
      return;
    default:
      state.report("value", `${path}.type`, "must be open_url or callback");
      return;
  }
}

function lintInput(value: Fields, path: string, level: number, state: LintState): void {
  const { name } = value;
  for (const part of ["label", "placeholder"]) {
    if (value[part] !== undefined) lintElement(value[part], `${path}.${part}`, ["plain_text"], level, state);
  }
  if (typeof name !== "string" || name === "") {
    state.report("input_name", `${path}.name`, "every input has a name");
    return;
  }
  const other = state.inputs.get(name);
  if (other !== undefined) state.report("input_name", `${path}.name`, `"${name}" is the name of ${other}`);
  else state.inputs.set(name, path);
}

function lintForm(value: Fields, path: string, state: LintState): void {
  const { name, elements } = value;
  if (typeof name !== "string" || name === "") state.report("form", `${path}.name`, "a form has a name");
  else if (state.forms.has(name)) state.report("form", `${path}.name`, `"${name}" is the name of another form`);
  else state.forms.set(name, path);
  if (!JSON.stringify(elements ?? []).includes('"form_action_type":"submit"')) {
    state.report("form", path, "a form has a button with form_action_type submit");
  }
}

function lintPanel(value: Fields, path: string, level: number, state: LintState): void {
  const { header } = value;
  if (!isFields(header)) return;
  known(
    header,
    `${path}.header`,
    [
      "title",
      "background_color",
      "vertical_align",
      "padding",
      "position",
      "width",
      "icon",
      "icon_position",
      "icon_expanded_angle",
    ],
    state,
  );
  lintElement(header["title"], `${path}.header.title`, ["plain_text", "markdown"], level, state);
}

function lintTable({ columns, rows, page_size: size }: Fields, path: string, state: LintState): void {
  if (!Array.isArray(columns) || columns.length === 0 || columns.length > 50) {
    state.report("value", `${path}.columns`, "must be 1 to 50 columns");
  }
  if (!Array.isArray(rows)) state.report("value", `${path}.rows`, "must be a list");
  if (size !== undefined && (!Number.isInteger(size) || Number(size) < 1 || Number(size) > 10)) {
    state.report("value", `${path}.page_size`, "must be 1 to 10");
  }
}
