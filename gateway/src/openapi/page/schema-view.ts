import type { JsonSchema } from '../model.js';
import { alternativesOf, asSchema, labelOf, type Named, resolve } from './alternatives.js';
import { type Html, html } from './html.js';
import { inline, markdown } from './markdown.js';

/** How deep members are shown; a schema that holds itself would have no end. */
const depthMax = 10;

/** A longer pattern says nothing to a person; the description has it in words. */
const patternCharactersMax = 40;

const isNull = ({ type }: JsonSchema): boolean => type === 'null';

/** The type of a value in a few words, such as `list of text (date-time) or null`. */
export function typeOf(given: JsonSchema, named: Named): string {
  const schema = resolve(given, named);
  const { type, format, items } = schema;
  if ('const' in schema) return JSON.stringify(schema['const']);
  const alternatives = alternativesOf(schema, named);
  if (type === undefined && alternatives.length > 0)
    return [...new Set(alternatives.map((one) => typeOf(one, named)))].join(' or ');
  if (type === 'array') return `list of ${typeOf(asSchema(items), named)}`;
  const word = Array.isArray(type) ? type.join(' or ') : typeof type === 'string' ? type : 'any';
  return typeof format === 'string' ? `${word} (${format})` : word;
}

const ranges: readonly (readonly [low: string, high: string, unit: string])[] = [
  ['minimum', 'maximum', ''],
  ['minLength', 'maxLength', ' characters'],
  ['minItems', 'maxItems', ' elements'],
];

/** What a value is bound by, in words: enumerations, ranges, patterns and the default, its own and its elements'. */
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
  const { pattern } = schema;
  if (typeof pattern === 'string' && pattern.length <= patternCharactersMax) bounds.push(`matching ${pattern}`);
  if (schema['items'] !== undefined)
    bounds.push(...boundsOf(asSchema(schema['items']), named).map((bound) => `each ${bound}`));
  // what may be null is bound as it is when it is not
  const [only, ...others] = alternativesOf(schema, named).filter((one) => !isNull(one));
  if (only !== undefined && others.length === 0) bounds.push(...boundsOf(only, named));
  if (schema['default'] !== undefined) bounds.push(`default ${JSON.stringify(schema['default'])}`);
  return bounds;
}

/** The schemas inside a value one of which says its members: itself, what a list holds, each that it may be. */
function memberSchemas(given: JsonSchema, named: Named): JsonSchema[] {
  const schema = resolve(given, named);
  if (schema['properties'] !== undefined) return [schema];
  if (schema['items'] !== undefined) return memberSchemas(asSchema(schema['items']), named);
  const alternatives = alternativesOf(schema, named).filter((one) => !isNull(one));
  const [only, ...others] = alternatives;
  if (only !== undefined && others.length === 0) return memberSchemas(only, named);
  return alternatives.some((one) => memberSchemas(one, named).length > 0) ? alternatives : [];
}

function membersView(schema: JsonSchema, named: Named, depth: number): Html {
  const required = schema['required'];
  return html`<ul class="members">${Object.entries(asSchema(schema['properties'])).map(([name, value]) => {
    const member = asSchema(value);
    const { description } = { ...resolve(member, named), ...member };
    const isRequired = Array.isArray(required) && required.includes(name);
    return html`<li><code class="name">${name}</code> <span class="type">${typeOf(member, named)}</span>${
      isRequired ? html` <span class="required">required</span>` : undefined
    }${boundsOf(member, named).map((bound) => html` <span class="bound">${bound}</span>`)}${
      typeof description === 'string' ? markdown(description) : undefined
    }${partsView(member, named, depth + 1)}</li>`;
  })}</ul>`;
}

/** The members of a value, or each form that it may have with its members; nothing where it has none. */
function partsView(given: JsonSchema, named: Named, depth: number): Html | undefined {
  if (depth > depthMax) return undefined;
  const schemas = memberSchemas(given, named);
  const [only, ...others] = schemas;
  if (only === undefined) return undefined;
  if (others.length === 0) return membersView(only, named, depth);
  return html`<p class="type">one of:</p><ul class="members">${schemas.map((one) => {
    const parts = partsView(one, named, depth + 1);
    const label = inline(labelOf(one, schemas) ?? typeOf(one, named));
    return html`<li>${parts === undefined ? label : html`<details><summary>${label}</summary>${parts}</details>`}</li>`;
  })}</ul>`;
}

/** Shows the members of a schema as nested lists; a value without members by its type. */
export function schemaView(given: JsonSchema, named: Named): Html {
  return partsView(given, named, 0) ?? html`<p class="type">${typeOf(given, named)}</p>`;
}
