import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { openTestStack } from '../harness/stack.js';
import { createTenant } from '../harness/tenant.js';
import { createCaller, type Deviation, exampleBody } from './calls.js';
import { type DocumentedOperation, readServedDocument, type Schema } from './served-document.js';
import { stringPlaces, withText } from './string-places.js';
import { createWorlds } from './world.js';

/**
 * Every text of every operation of the served document, 100 kB long, of what patterns, parsers and
 * normalization like least: none takes much of the processors.
 */
const processes = [
  'gateway',
  'access',
  'variables',
  'observations',
  'dashboards',
  'parsers',
  'ingestion',
  'processor-1',
];
const bytes = 100_000;
/** In a path, a query or a header: what is longer is refused by its length. */
const headBytes = 16_000;
const cpuMsMax = 50;
/** What takes long is tried so often before it is believed: other work of the processes is counted too. */
const tries = 5;
/** A rule for texts is tried with all units where it is met first, and elsewhere with some: each place begins with another one. */
const unitsAgain = 4;
/** `/proc` counts in hundredths of a second. */
const tickMs = 10;

/** What patterns repeat, and what parsers and normalization look at again and again. */
const units = [
  ...Array.from('a0 -_./:\'"\\[({<%,;+=#|*^$\n\t\u00a0\u0301\u{1d160}'),
  ..."a\u0323\u0301|1e|P1|''|a,|a |(a+)+|[[:|\\Q|{1}|-(|<a>\n|\r\n".split('|'),
];

const stack = await openTestStack({
  envOf: { gateway: { LIMIT_DEVELOPER_REQUESTS_PER_SECOND: '100000', LIMIT_DEVELOPER_REQUESTS_BURST: '1000000' } },
});
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
});

const tenant = await createTenant(stack.addresses.access);
const document = await readServedDocument(stack.gatewayUrl);
const worlds = createWorlds(document.operations);
const call = createCaller(
  stack.gatewayUrl,
  { developer: tenant.developerKey, ingestion: tenant.ingestionKey },
  tenant.projectId,
);

/** What the processes have taken of processors so far, in milliseconds. */
function cpuMs(): number {
  const ticks = processes.map((name) => {
    const fields =
      readFileSync(`/proc/${stack.process(name).pid}/stat`, 'utf8')
        .split(') ')[1]
        ?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, each) => sum + each, 0) * tickMs;
}

/** The least that a call took, of as many tries as it takes to have it below the bound. */
async function leastCpuMs(operation: DocumentedOperation, deviation: Deviation, boundMs: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let at = 0; at < tries && least > boundMs; at++) {
    const before = cpuMs();
    const { status, text } = await call(operation, deviation);
    least = Math.min(least, cpuMs() - before);
    expect(status, text.slice(0, 1000)).toBeLessThan(500);
  }
  return least;
}

const met = new Set<string>();
let begun = 0;

/** The units to try: of those that a pattern takes some number of, or of all where it takes none. */
function unitsFor(schema: Schema, length: number): readonly string[] {
  const expression = new RegExp(schema.pattern ?? '', 'u');
  const liked = units.filter((unit) => [1, 2, 21].some((count) => expression.test(unit.repeat(count))));
  const known = liked.length === 0 ? units : liked;
  const rule = `${length} ${JSON.stringify(schema)}`;
  if (!met.has(rule)) {
    met.add(rule);
    return known;
  }
  const first = (begun++ * unitsAgain) % known.length;
  return [...known.slice(first), ...known].slice(0, Math.min(unitsAgain, known.length));
}

/** Texts of so many bytes, each of one unit and with an end that most patterns refuse. */
function hostileTexts(
  schema: Schema,
  length: number,
  bytesOf = (unit: string): number => Buffer.byteLength(unit),
): readonly string[] {
  return unitsFor(schema, length).map((unit) => `${unit.repeat(Math.ceil(length / bytesOf(unit)))}\u0007!`);
}

/** Texts that are too long by far, and some that are as long as may be. */
function bodyTexts(schema: Schema): readonly string[] {
  const { maxLength } = schema;
  return [...hostileTexts(schema, bytes), ...(maxLength === undefined ? [] : hostileTexts(schema, maxLength - 2))];
}

/** Every text of an operation with each hostile text, as a deviation. */
function* deviationsOf(operation: DocumentedOperation, example: Deviation): Generator<[string, Deviation]> {
  const told = (text: string): string => `${text.length} characters ${JSON.stringify(text.slice(0, 5))}`;
  for (const { name, in: place, schema } of operation.parameters) {
    if (![schema.type, schema.items?.type].includes('string')) continue;
    for (const text of hostileTexts(schema, headBytes, (unit) => encodeURIComponent(unit).length)) {
      const what = `${place}/${name} of ${told(text)}`;
      if (place === 'path') yield [what, { ...example, path: { ...example.path, [name]: text } }];
      if (place === 'query') yield [what, { ...example, query: { ...example.query, [name]: text } }];
      const header = text.replace('\u0007', '\u00e9');
      if (place === 'header' && /^[!-~]+\u00e9!$/.test(header))
        yield [what, { ...example, headers: { [name]: header } }];
    }
  }
  for (const place of stringPlaces(operation, document.schemas))
    for (const text of bodyTexts(place.schema))
      yield [
        `/${place.at.join('/')}${place.isName ? ', its name,' : ''} of ${told(text)}`,
        { ...example, body: JSON.stringify(withText(JSON.parse(String(example.body)), place, text)) },
      ];
}

describe('S14: a hostile text takes no more than 50 ms of processors', () => {
  test.each(document.operations)('$method $path', { timeout: 600_000 }, async (operation) => {
    const world = worlds.open(call);
    const example = await world.example(operation);
    const padded =
      exampleBody(operation) === undefined ? example : { ...example, body: String(example.body).padEnd(bytes) };
    const baselineMs = await leastCpuMs(operation, padded, 0);
    const slow: string[] = [];
    for (const [what, deviation] of deviationsOf(operation, example)) {
      const ms = await leastCpuMs(operation, deviation, baselineMs + cpuMsMax);
      if (ms > baselineMs + cpuMsMax) slow.push(`${what}: ${ms} ms, ${baselineMs} ms without`);
    }
    expect(slow).toEqual([]);
  });
});
