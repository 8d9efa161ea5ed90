// The named parts of the API description, and schemas as clients see them. Rule: one name means one thing in the whole document.
import { fieldKinds, type JsonSchema } from '../fields/index.ts';

export type Json = Record<string, unknown>;

/** Components by kind and name. One name for two different things gets a number. */
export class Components {
  readonly all: Record<string, Record<string, Json>> = { schemas: {}, responses: {}, securitySchemes: {} };
  readonly #known = new Map<object, Json>();

  add(kind: string, name: string, value: Json): string {
    const known = (this.all[kind] ??= {});
    let unique = name;
    for (let i = 2; known[unique] && JSON.stringify(known[unique]) !== JSON.stringify(value); i++)
      unique = `${name}_${i}`;
    known[unique] = value;
    return `#/components/${kind}/${unique}`;
  }

  /** The schema as clients see it; one with a title is a reference to the component of that name. */
  schema(schema: JsonSchema): Json {
    const known = this.#known.get(schema);
    if (known) return known;
    const described = describe(schema, this);
    const { title } = schema;
    const made =
      typeof title === 'string' ? { $ref: this.add('schemas', title.replace(/\W/g, ''), described) } : described;
    this.#known.set(schema, made);
    return made;
  }
}

/** Our own keywords replaced by what they mean. */
function describe(schema: JsonSchema, components: Components): Json {
  const { 'x-kind': kind, 'x-range': range, 'x-list': list, format, enum: values, type, ...rest } = schema;
  const out: Json = { ...(kind ? fieldKinds[kind].document : { type, format, enum: values }), ...rest };
  if (kind && !out.description) out.description = fieldKinds[kind].says;
  if (Array.isArray(range)) [out.minimum, out.maximum] = range;
  if (Array.isArray(list) && list.length > 0)
    out.description = [schema.description, `Of: ${list.join(', ')}.`].filter(Boolean).join(' ');
  for (const name of ['items', 'additionalProperties'] as const) {
    const child = schema[name];
    if (typeof child === 'object') out[name] = components.schema(child);
  }
  if (schema.properties) {
    out.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, child]) => [name, components.schema(child)]),
    );
  }
  for (const name of ['anyOf', 'oneOf', 'allOf'] as const) {
    const children = schema[name];
    if (Array.isArray(children)) out[name] = children.map((child) => components.schema(child as JsonSchema));
  }
  for (const name of Object.keys(out)) if (out[name] === undefined) delete out[name];
  return out;
}
