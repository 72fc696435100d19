// What a person filled into a form: the values by the names of its fields.
import type { FormInteraction } from "./interaction.ts";

/** Fields by their `custom_id`, which is the name that the core gave them. */
export function formValues({ data }: FormInteraction): Readonly<Record<string, string>> {
  const fields = data.components.flatMap(({ components = [], component }) => [
    ...components,
    ...(component === undefined ? [] : [component]),
  ]);
  return Object.fromEntries(
    fields.flatMap(({ custom_id: name, value }) => (name === undefined || value === undefined ? [] : [[name, value]])),
  );
}
