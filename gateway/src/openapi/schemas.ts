import { z } from 'zod';
import type { JsonSchema } from './model.js';

interface Override {
  readonly jsonSchema: Record<string, unknown>;
}

/** Leaves out what only repeats: the pattern behind a format, and bounds that every exact integer has. */
function tidy({ jsonSchema }: Override): void {
  if (jsonSchema['format'] !== undefined) delete jsonSchema['pattern'];
  if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum'];
  if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum'];
}

/** The schemas of a document by name, and what refers to them. */
export class Schemas {
  readonly #byName = new Map<string, JsonSchema>();

  /** All of them, in alphabetical order. */
  get all(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#byName].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** @throws Error when another schema has the name */
  add(name: string, schema: JsonSchema): JsonSchema {
    const known = this.#byName.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`two schemas are called ${name}`);
    this.#byName.set(name, schema);
    return { $ref: `#/components/schemas/${name}` };
  }

  /**
   * The JSON Schema of what validates. Parts with a `meta({ id })` become schemas of their own.
   *
   * @param io - whether it is what a client sends or what it gets
   */
  of(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const made = z.toJSONSchema(schema, { io, override: tidy as never });
    const text = JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/');
    const { $schema: _, $defs = {}, ...rest } = JSON.parse(text) as JsonSchema & { $defs?: Record<string, JsonSchema> };
    for (const [name, part] of Object.entries($defs)) this.add(name, part);
    return rest;
  }
}
