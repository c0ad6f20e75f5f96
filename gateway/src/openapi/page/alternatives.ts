import type { JsonSchema } from '../model.js';

/** The schemas that others refer to, by name. */
export type Named = Readonly<Record<string, JsonSchema>>;

/** What stands where a schema may: itself when it is one. */
export const asSchema = (value: unknown): JsonSchema =>
  typeof value === 'object' && value !== null ? (value as JsonSchema) : {};

/** The schema that another one refers to, or itself. */
export function resolve(schema: JsonSchema, named: Named): JsonSchema {
  const ref = schema['$ref'];
  return typeof ref === 'string' ? (named[ref.slice(ref.lastIndexOf('/') + 1)] ?? schema) : schema;
}

/** The schemas one of which a value has; an alternative that is itself a choice counts as those it chooses among. */
export function alternativesOf(schema: JsonSchema, named: Named): JsonSchema[] {
  const given = schema['oneOf'] ?? schema['anyOf'];
  if (!Array.isArray(given)) return [];
  return given.flatMap((one: unknown) => {
    const alternative = resolve(asSchema(one), named);
    const inner = alternative['properties'] === undefined ? alternativesOf(alternative, named) : [];
    return inner.length > 0 ? inner : [alternative];
  });
}

const membersOf = (schema: JsonSchema): [string, JsonSchema][] =>
  Object.entries(asSchema(schema['properties'])).map(([name, value]) => [name, asSchema(value)]);

/** What tells an alternative from the others: its title, its constants, or else the members that only it has. */
export function labelOf(schema: JsonSchema, all: readonly JsonSchema[]): string | undefined {
  if (typeof schema['title'] === 'string') return schema['title'];
  const others = all.filter((one) => one !== schema).map((one) => new Map(membersOf(one)));
  const constants = membersOf(schema)
    .filter(([name, value]) => 'const' in value && others.some((one) => one.get(name)?.['const'] !== value['const']))
    .map(([name, value]) => `${name}: ${JSON.stringify(value['const'])}`);
  if (constants.length > 0) return constants.join(', ');
  const own = membersOf(schema).filter(([name]) => others.every((one) => !one.has(name)));
  return own.length > 0 ? `with ${own.map(([name]) => name).join(', ')}` : undefined;
}
