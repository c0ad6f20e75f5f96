import type { Settings } from '@weir/kit/config';
import { declaredSettings, isMadeByChart } from './declared-settings.js';
import type { Value } from './values-source.js';

type Schema = Record<string, unknown>;

function typeOf(value: unknown): Schema {
  if (Array.isArray(value)) return { type: 'array' };
  if (typeof value === 'number') return { type: Number.isInteger(value) ? 'integer' : 'number' };
  return { type: typeof value };
}

/** What may stand in the `settings` of a role: what its process declares, but for what the chart makes itself. */
function settingsSchema(settings: Settings): Schema {
  const own = Object.values(settings).filter((setting) => !isMadeByChart(setting));
  const properties = own.map(({ env, doc, grammar }) => [
    env,
    { description: `${doc} ${grammar.accepts}.`, type: ['string', 'integer', 'boolean'] },
  ]);
  return { type: 'object', additionalProperties: false, properties: Object.fromEntries(properties) };
}

function leafSchema({ description, schema, default: value }: Value): Schema {
  const { 'x-settings': role, ...further } = schema;
  const settings = role === undefined ? undefined : declaredSettings[String(role)];
  return { description, ...(settings === undefined ? typeOf(value) : settingsSchema(settings)), ...further };
}

/**
 * Whether nothing can stand in a value's place: a key that is left empty takes the default away at Helm, which is as good as
 * an empty default, and lists and maps may have nothing in them.
 */
export function isNeeded(value: Value, values: readonly Value[]): boolean {
  const { path, isSection, default: unset } = value;
  if (!isSection) return typeof unset !== 'object' && Boolean(unset);
  const isBelow = (other: Value): boolean =>
    !other.isSection && other.path.length > path.length && path.every((key, i) => other.path[i] === key);
  return values.some((other) => isBelow(other) && isNeeded(other, values));
}

/** values.schema.json: unknown keys are refused wherever the chart owns the keys; open maps stay open. */
export function valuesSchema(values: readonly Value[]): Schema {
  const section = (depth: number, prefix: string): Schema => {
    const inner = values.filter(({ path }) => path.length === depth + 1 && path.slice(0, depth).join('.') === prefix);
    const properties = inner.map((value) => {
      const name = value.path.at(-1);
      const { description } = value;
      const below = value.isSection ? section(depth + 1, value.path.join('.')) : leafSchema(value);
      return [name, { ...(description !== '' && { description }), ...below }];
    });
    const required = inner.filter((value) => isNeeded(value, values)).map(({ path }) => path.at(-1));
    return {
      type: 'object',
      additionalProperties: false,
      ...(required.length > 0 && { required }),
      properties: Object.fromEntries(properties),
    };
  };
  return { $schema: 'http://json-schema.org/draft-07/schema#', title: 'Values of the chart weir', ...section(0, '') };
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

/** The table of values in README.md. */
export function valuesTable(values: readonly Value[]): string {
  const rows = values
    .filter(({ isSection }) => !isSection)
    .map(
      ({ path, description, default: value }) =>
        `| \`${path.join('.')}\` | \`${cell(JSON.stringify(value))}\` | ${cell(description)} |\n`,
    );
  return `| value | default | what for |\n| --- | --- | --- |\n${rows.join('')}`;
}
