import { readdirSync, readFileSync } from 'node:fs';
import { formatInstant } from '@weir/kit/time';
import { type ParserConfiguration, parserConfiguration } from '@weir/parser-configuration';
import { describe, expect, test } from 'vitest';
import { inChunks, readWhole } from '../test/read-whole.js';
import { LogfileRefused } from './index.js';

interface Expected {
  readonly outcome: string;
  readonly points?: readonly unknown[];
  readonly row_errors?: readonly { line: number; column: number | null; reason: string }[];
  readonly missing?: readonly { line: number; variable: string }[];
  readonly skipped_lines?: number;
  readonly error?: string;
}
interface Sidecar {
  readonly file: string;
  readonly upload_file_name: string;
  readonly site_timezone: string;
  readonly reference_reader: 'yes' | 'no';
  readonly parser: { configuration: Record<string, unknown> };
  readonly expected: Expected;
  readonly variants?: readonly { name: string; configuration_patch: object; expected: Expected }[];
}

const fixtures = new URL('../test/fixtures/field-data/files/', import.meta.url);
/** A further folder of files with their sidecars may be named. */
const folders = [
  fixtures,
  ...[process.env['WEIR_FIELD_DATA']].flatMap((path) => (path ? [new URL(`file://${path}/`)] : [])),
];
const suffix = '.expect.json';

/** Written by a recipe, in a test of its own. */
const byRecipe = new Set(['very-long.recipe.txt']);
/** Formats that Weir does not have: the configuration is refused. */
const withoutFormat = new Set(['tsg-underway.cnv']);

function patched(base: unknown, patch: unknown): unknown {
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject(base) || !isObject(patch)) return patch;
  const changed = Object.entries(patch).map(([key, value]) => [key, patched(base[key], value)]);
  return { ...base, ...Object.fromEntries(changed) };
}

/** What the corpus and Weir call the same. */
const codeOf = (reason: string, code: string): string =>
  reason === 'bad_timestamp' && code === 'timestamp_out_of_range' ? reason : code;

function check(
  bytes: Uint8Array,
  { upload_file_name, site_timezone }: Sidecar,
  json: unknown,
  expected: Expected,
): void {
  if (expected.outcome === 'configuration_rejected') {
    expect(parserConfiguration.safeParse(json).error?.issues.map(({ path }) => path.join('/'))).toEqual([
      'timestamp/input_format',
    ]);
    return;
  }
  const configuration: ParserConfiguration = parserConfiguration.parse(json);
  const read = () => readWhole([bytes], configuration, { fileName: upload_file_name, zone: site_timezone });
  if (expected.outcome === 'file_rejected') {
    try {
      read();
      expect.unreachable('the file is to be refused');
    } catch (error) {
      expect(error).toBeInstanceOf(LogfileRefused);
      expect(error).toMatchObject({ code: expected.error });
    }
    return;
  }
  expect(['points', 'only_row_errors']).toContain(expected.outcome);
  const { points, errors, missing, counts } = read();
  const asJson = points.map(({ line, atUs, instrumentName, variables }) => ({
    line,
    instrument_timestamp: formatInstant(atUs),
    instrument_name: instrumentName,
    ingested_variables: variables,
  }));
  expect(asJson).toEqual(expected.points);
  expect(
    points.flatMap(({ variables }) => variables).filter(({ value }) => Object.is(value, -0) || !Number.isFinite(value)),
  ).toEqual([]);
  const reasons = expected.row_errors ?? [];
  const asReasons = errors.map(({ line, column, code }, at) => {
    const reason = reasons[at];
    return { line, column: reason?.column === null ? null : column, reason: codeOf(reason?.reason ?? '', code) };
  });
  expect(asReasons).toEqual(reasons);
  if (expected.missing !== undefined) expect(missing).toEqual(expected.missing);
  if (expected.skipped_lines !== undefined) expect(counts.skipped).toBe(expected.skipped_lines);
  expect(counts).toMatchObject({ points: points.length, errors: errors.length });
  const piecewise = readWhole(inChunks(bytes, 7), configuration, { fileName: upload_file_name, zone: site_timezone });
  expect([piecewise.points, piecewise.errors, piecewise.counts]).toEqual([points, errors, counts]);
}

describe.each(folders)('%s', (folder) => {
  const names = readdirSync(folder);
  const files = names.filter((name) => !name.endsWith(suffix));

  test('each file has its sidecar, and each sidecar its file', () => {
    const sidecars = names.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length));
    expect(sidecars.sort()).toEqual([...files].sort());
    if (folder === fixtures) expect(files.length).toBeGreaterThanOrEqual(41);
  });

  describe.each(files.filter((name) => !byRecipe.has(name)))('%s', (name) => {
    const bytes = readFileSync(new URL(name, folder));
    const sidecar = JSON.parse(readFileSync(new URL(`${name}${suffix}`, folder), 'utf8')) as Sidecar;
    const { configuration } = sidecar.parser;

    test(`gives ${sidecar.expected.outcome}`, () => {
      const expected = withoutFormat.has(name) ? { outcome: 'configuration_rejected' } : sidecar.expected;
      check(bytes, sidecar, configuration, expected);
    });

    test.each(sidecar.variants ?? [])('$name', ({ configuration_patch, expected }) => {
      check(bytes, sidecar, patched(configuration, configuration_patch), expected);
    });
  });
});

test('usgs-uv.rdb with its zone column tells EDT from EST', () => {
  const name = 'usgs-uv.rdb';
  const { parser, expected } = JSON.parse(readFileSync(new URL(`${name}${suffix}`, fixtures), 'utf8')) as Sidecar;
  const zones = { EDT: '-04:00', EST: '-05:00' };
  const json = patched(parser.configuration, { timestamp: { zone_column: { header_name: 'tz_cd' }, zones } });
  const { points } = readWhole([readFileSync(new URL(name, fixtures))], parserConfiguration.parse(json));
  expect(points.map(({ atUs }) => formatInstant(atUs).slice(11, 16))).toEqual(['04:45', '05:15', '06:15', '08:15']);
  expect(points).toHaveLength(expected.points?.length ?? 0);
});

test('toa5-restart.dat needs no pattern for the header block that appears again', () => {
  const name = 'toa5-restart.dat';
  const sidecar = JSON.parse(readFileSync(new URL(`${name}${suffix}`, fixtures), 'utf8')) as Sidecar;
  const json = patched(sidecar.parser.configuration, { skip_rows_matching: [] });
  check(readFileSync(new URL(name, fixtures)), sidecar, json, sidecar.expected);
});
