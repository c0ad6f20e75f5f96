import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { chart } from './helm.js';

/** A value of values.yaml, as its comment and its default tell it. */
export interface Value {
  /** Its keys, from the outermost. */
  readonly path: readonly string[];
  readonly description: string;
  /** What "@schema" adds. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Whether it holds further values of the chart's own. */
  readonly isSection: boolean;
  readonly default: unknown;
}

/** Maps with a default that are one value all the same. */
const openMaps = new Set(['resources', 'labels', 'global']);

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

interface Comment {
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

function readComment(lines: readonly string[]): Comment {
  const isSchema = (line: string): boolean => line.startsWith('@schema ');
  const schemas = lines.filter(isSchema).map((line) => JSON.parse(line.slice('@schema '.length)) as object);
  return { description: lines.filter((line) => !isSchema(line)).join(' '), schema: Object.assign({}, ...schemas) };
}

/** The comment that stands right above each key, by the key's path with dots. */
function readComments(text: string): Map<string, Comment> {
  const comments = new Map<string, Comment>();
  let above: string[] = [];
  let path: string[] = [];
  for (const line of text.split('\n')) {
    const comment = /^ *# ?(.*)$/.exec(line);
    const key = /^( *)([A-Za-z]\w*):/.exec(line);
    if (comment !== null) above.push(comment[1] ?? '');
    else {
      if (key !== null) {
        path = [...path.slice(0, (key[1] ?? '').length / 2), key[2] ?? ''];
        comments.set(path.join('.'), readComment(above));
      }
      above = [];
    }
  }
  return comments;
}

/** All values of values.yaml, sections before what they hold. */
export function readValues(): Value[] {
  const text = readFileSync(join(chart, 'values.yaml'), 'utf8');
  const comments = readComments(text);
  const visit = (path: readonly string[], value: unknown): Value[] => {
    const comment = comments.get(path.join('.')) ?? { description: '', schema: {} };
    const isSection = isMap(value) && Object.keys(value).length > 0 && !openMaps.has(path.at(-1) ?? '');
    const own = { path, ...comment, isSection, default: value };
    return isSection ? [own, ...Object.entries(value).flatMap(([key, inner]) => visit([...path, key], inner))] : [own];
  };
  return Object.entries(parse(text) as Record<string, unknown>).flatMap(([key, value]) => visit([key], value));
}
