import type { JsonSchema } from '../model.js';
import { type Html, html } from './html.js';
import { markdown } from './markdown.js';

type Named = Readonly<Record<string, JsonSchema>>;

/** The schema that another one refers to, or itself. */
function resolve(schema: JsonSchema, named: Named): JsonSchema {
  const ref = schema['$ref'];
  return typeof ref === 'string' ? (named[ref.slice(ref.lastIndexOf('/') + 1)] ?? schema) : schema;
}

const asSchema = (value: unknown): JsonSchema =>
  typeof value === 'object' && value !== null ? (value as JsonSchema) : {};

/** The type of a value in a few words, such as `list of text (date-time) or null`. */
export function typeOf(given: JsonSchema, named: Named): string {
  const schema = resolve(given, named);
  const { type, format, anyOf, items } = schema;
  if ('const' in schema) return JSON.stringify(schema['const']);
  if (Array.isArray(anyOf)) return [...new Set(anyOf.map((one: unknown) => typeOf(asSchema(one), named)))].join(' or ');
  if (type === 'array') return `list of ${typeOf(asSchema(items), named)}`;
  const word = Array.isArray(type) ? type.join(' or ') : typeof type === 'string' ? type : 'any';
  return typeof format === 'string' ? `${word} (${format})` : word;
}

const ranges: readonly (readonly [low: string, high: string, unit: string])[] = [
  ['minimum', 'maximum', ''],
  ['minLength', 'maxLength', ' characters'],
  ['minItems', 'maxItems', ' elements'],
];

/** What a value is bound by, in words: enumerations, ranges, patterns and the default. */
export function boundsOf(given: JsonSchema, named: Named): string[] {
  const schema = resolve(given, named);
  const bounds: string[] = [];
  const words = schema['enum'];
  if (Array.isArray(words)) bounds.push(`one of ${words.map((word) => JSON.stringify(word)).join(', ')}`);
  for (const [low, high, unit] of ranges) {
    const [min, max] = [schema[low], schema[high]];
    if (min !== undefined && max !== undefined) bounds.push(`${min} to ${max}${unit}`);
    else if (min !== undefined) bounds.push(`at least ${min}${unit}`);
    else if (max !== undefined) bounds.push(`at most ${max}${unit}`);
  }
  if (typeof schema['pattern'] === 'string') bounds.push(`matching ${schema['pattern']}`);
  if (schema['default'] !== undefined) bounds.push(`default ${JSON.stringify(schema['default'])}`);
  return bounds;
}

/** The object inside a value that has members to show: itself, what a list holds, or what may be null. */
function memberSchema(given: JsonSchema, named: Named): JsonSchema | undefined {
  const schema = resolve(given, named);
  if (schema['properties'] !== undefined) return schema;
  if (schema['items'] !== undefined) return memberSchema(asSchema(schema['items']), named);
  const { anyOf } = schema;
  if (!Array.isArray(anyOf)) return undefined;
  return anyOf.map((one: unknown) => memberSchema(asSchema(one), named)).find((one) => one !== undefined);
}

/** Shows the members of a schema as nested lists; a value without members by its type. */
export function schemaView(given: JsonSchema, named: Named): Html {
  const schema = memberSchema(given, named);
  if (schema === undefined) return html`<p class="type">${typeOf(given, named)}</p>`;
  const required = schema['required'];
  return html`<ul class="members">${Object.entries(asSchema(schema['properties'])).map(([name, value]) => {
    const member = asSchema(value);
    const { description } = { ...resolve(member, named), ...member };
    const isRequired = Array.isArray(required) && required.includes(name);
    return html`<li><code class="name">${name}</code> <span class="type">${typeOf(member, named)}</span>${
      isRequired ? html` <span class="required">required</span>` : undefined
    }${boundsOf(member, named).map((bound) => html` <span class="bound">${bound}</span>`)}${
      typeof description === 'string' ? markdown(description) : undefined
    }${memberSchema(member, named) === undefined ? undefined : schemaView(member, named)}</li>`;
  })}</ul>`;
}
