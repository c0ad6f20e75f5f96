import type { DocumentedOperation, Schema } from './served-document.js';

type Json = ReturnType<typeof JSON.parse>;
type Pointer = readonly (string | number)[];

/** A member of a body, or a name in it, that is a text. */
export interface StringPlace {
  readonly at: Pointer;
  /** Whether the client chooses the name of the member: that is the text. */
  readonly isName: boolean;
  readonly schema: Schema;
  /** Members that say which of several shapes an object around it has. */
  readonly kinds: readonly { readonly at: Pointer; readonly kind: unknown }[];
}

/** Deeper than anything of the API: a shape that holds itself ends there. */
const depthMax = 12;

/** Where the body of an operation may have a text, in every shape that it may have. */
export function stringPlaces(
  { requestBody }: DocumentedOperation,
  schemas: Readonly<Record<string, Schema>>,
): StringPlace[] {
  const walk = (schema: Schema, at: Pointer, kinds: StringPlace['kinds']): StringPlace[] => {
    if (at.length > depthMax) return [];
    const { $ref, type, properties = {}, additionalProperties, items } = schema;
    const named = $ref === undefined ? [] : [schemas[$ref.split('/').at(-1) ?? ''] as Schema];
    const shapes = [...named, ...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
    const below = shapes.flatMap((shape) => walk(shape, at, kinds));
    if ([type].flat().includes('string') && schema.const === undefined)
      below.push({ at, isName: false, schema, kinds });
    const members = Object.entries(properties);
    const own = members.flatMap(([name, { const: kind }]) => (kind === undefined ? [] : [{ at: [...at, name], kind }]));
    for (const [name, member] of members) below.push(...walk(member, [...at, name], [...kinds, ...own]));
    if (typeof additionalProperties === 'object') {
      const name = schema.propertyNames ?? {};
      below.push({ at: [...at, 'x'], isName: true, schema: name, kinds });
      below.push(...walk(additionalProperties, [...at, 'x'], kinds));
    }
    if (items !== undefined) below.push(...walk(items, [...at, 0], kinds));
    return below;
  };
  const body = requestBody?.content['application/json'];
  return body === undefined ? [] : walk(body.schema, [], []);
}

/** What stands at a place, made where nothing does. */
function stepInto(parent: Json, name: string | number, next: string | number | undefined): Json {
  if (typeof parent[name] !== 'object' || parent[name] === null) parent[name] = typeof next === 'number' ? [] : {};
  return parent[name];
}

function parentOf(body: Json, at: Pointer): Json {
  return at.slice(0, -1).reduce((parent, name, depth) => stepInto(parent, name, at[depth + 1]), body);
}

/** A body with a text at a place. */
export function withText(body: Json, { at, isName, kinds }: StringPlace, text: string): Json {
  const made = structuredClone(body);
  for (const { at: place, kind } of kinds) {
    const parent = parentOf(made, place);
    const name = place.at(-1) as string;
    if (parent[name] === kind) continue;
    // it has another shape: nothing of that is kept
    for (const other of Object.keys(parent)) delete parent[other];
    parent[name] = kind;
  }
  const parent = parentOf(made, at);
  if (isName) parent[text] = 'x';
  else parent[at.at(-1) as string] = text;
  return made;
}
