import { WeirError } from '@weir/kit/errors';
import { normalizeName } from '@weir/kit/text';
import { parseInstant } from '@weir/kit/time';
import { unpackPoints } from '@weir/points';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pointsSchema } from './points-schema.js';
import { readPoints } from './read-points.js';

const point = {
  instrument_timestamp: '2026-01-31T12:00:00Z',
  instrument_name: 'logger',
  ingested_variables: [{ name: 'level', value: 1.5 }],
};

function errorOf(json: unknown): WeirError {
  try {
    readPoints(json, 1000);
  } catch (error) {
    if (error instanceof WeirError) return error;
    throw error;
  }
  throw new Error('the body was accepted');
}

const faultsOf = (json: unknown) => errorOf(json).details.map(({ path, code }) => `${path} ${code}`);

/** The points as they went in, read back from the packed form. */
function readBack(json: unknown) {
  const points = unpackPoints(readPoints(json, 1000).body);
  return Array.from({ length: points.count }, (_, i) => {
    const values = Array.from(points.values.subarray(points.valueStarts[i], points.valueStarts[i + 1]));
    const channels = Array.from(points.valueChannels.subarray(points.valueStarts[i], points.valueStarts[i + 1]));
    return {
      instantUs: points.instantsUs[i],
      siteId: points.channels[channels[0] ?? 0]?.siteId,
      instrumentName: points.channels[channels[0] ?? 0]?.instrumentName,
      values: values.map((value, v) => [points.channels[channels[v] ?? 0]?.variableName, value]),
    };
  });
}

describe('readPoints', () => {
  test('packs what it read', () => {
    const siteId = '01920000-0000-7000-8000-00000000ABCD';
    expect(
      readBack({
        data: [
          point,
          {
            instrument_timestamp: '2026-01-31T12:00:00.123456+01:00',
            instrument_name: ' Cafe\u0301 ',
            site_id: siteId,
            ingested_variables: [
              { name: 'a', value: -0 },
              { name: 'b', value: 5e-324 },
            ],
          },
        ],
      }),
    ).toEqual([
      {
        instantUs: Date.UTC(2026, 0, 31, 12) * 1000,
        siteId: undefined,
        instrumentName: 'logger',
        values: [['level', 1.5]],
      },
      {
        instantUs: Date.UTC(2026, 0, 31, 11) * 1000 + 123_456,
        siteId: siteId.toLowerCase(),
        instrumentName: 'Café',
        values: [
          ['a', 0],
          ['b', 5e-324],
        ],
      },
    ]);
  });

  test('an instant outside the years of observations is the matter of the run', () => {
    expect(readPoints({ data: [{ ...point, instrument_timestamp: '0001-01-01T00:00:00Z' }] }, 1000).count).toBe(1);
    expect(readPoints({ data: [{ ...point, instrument_timestamp: '9999-12-31T23:59:59Z' }] }, 1000).count).toBe(1);
  });

  test.each<[string, unknown, string[]]>([
    ['no object', [], [' invalid_type']],
    ['no data', {}, ['/data required']],
    ['data that is no array', { data: { 0: point } }, ['/data invalid_type']],
    ['no points', { data: [] }, ['/data out_of_range']],
    ['too many points', { data: Array.from({ length: 1001 }, () => point) }, ['/data out_of_range']],
    ['points that are none', { data: [null, [], 'x'] }, [0, 1, 2].map((i) => `/data/${i} invalid_type`)],
    [
      'an empty point',
      { data: [{}] },
      ['instrument_timestamp', 'instrument_name', 'ingested_variables'].map((m) => `/data/0/${m} required`),
    ],
    [
      'members of a wrong type',
      { data: [{ instrument_timestamp: 1, instrument_name: null, site_id: null, ingested_variables: {} }] },
      ['instrument_timestamp', 'site_id', 'instrument_name', 'ingested_variables'].map(
        (m) => `/data/0/${m} invalid_type`,
      ),
    ],
    [
      'unknown members beside other faults',
      { data: [{ ...point, ingested_variables: [{ name: 'a', value: '1', unit: 'm' }] }], 'a/b~': 1 },
      [
        '/a~1b~0 unknown_field',
        '/data/0/ingested_variables/0/unit unknown_field',
        '/data/0/ingested_variables/0/value invalid_type',
      ],
    ],
    [
      'names that are one after normalization',
      {
        data: [
          {
            ...point,
            ingested_variables: [
              { name: 'é', value: 1 },
              { name: ' e\u0301', value: 2 },
            ],
          },
        ],
      },
      ['/data/0/ingested_variables/1/name duplicate_name'],
    ],
    [
      'names that are none',
      { data: [{ ...point, instrument_name: ' ', ingested_variables: [{ name: 'a\0b', value: 1 }] }] },
      ['/data/0/instrument_name invalid_name', '/data/0/ingested_variables/0/name invalid_name'],
    ],
    [
      'a site that can be none',
      { data: ['', ' ', 'a\0', '\ud800', 'x'.repeat(129)].map((site_id) => ({ ...point, site_id })) },
      [0, 1, 2, 3, 4].map((i) => `/data/${i}/site_id invalid_id`),
    ],
    [
      'a number that overflows',
      JSON.parse(`{"data":[${JSON.stringify(point).replace('1.5', '1e400')}]}`),
      ['/data/0/ingested_variables/0/value out_of_range'],
    ],
  ])('refuses %s', (_, json, faults) => {
    expect(errorOf(json).code).toBe('invalid_request');
    expect(faultsOf(json)).toEqual(faults);
  });

  test('nothing but unknown members is unknown_field, at every depth', () => {
    const json = JSON.parse(
      '{"data":[{"__proto__":1,"instrument_timestamp":"2026-01-31T12:00:00Z","instrument_name":"a",' +
        '"ingested_variables":[{"name":"a","value":1,"constructor":2}]}],"extra":null}',
    );
    expect(errorOf(json).code).toBe('unknown_field');
    expect(faultsOf(json)).toEqual([
      '/extra unknown_field',
      '/data/0/__proto__ unknown_field',
      '/data/0/ingested_variables/0/constructor unknown_field',
    ]);
  });

  test('says that a zone is missing', () => {
    const error = errorOf({ data: [{ ...point, instrument_timestamp: '2026-01-31 12:00' }] });
    expect(error.message).toContain('no zone');
    expect(error.details[0]?.path).toBe('/data/0/instrument_timestamp');
  });

  test('tells fifty faults at most, and reads no further', () => {
    expect(errorOf({ data: Array.from({ length: 1000 }, () => ({})) }).details).toHaveLength(50);
    let read = 0;
    const members = new Proxy(Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${i}`, 1])), {
      getOwnPropertyDescriptor: (target, key) => {
        read++;
        return Reflect.getOwnPropertyDescriptor(target, key);
      },
    });
    for (const body of [members, { data: [members] }, { data: [{ ...point, ingested_variables: [members] }] }]) {
      read = 0;
      expect(errorOf(body).details).toHaveLength(50);
      expect(read).toBeLessThan(100);
    }
  });

  test('a limit of the deployment is told', () => {
    expect(() => readPoints({ data: [point, point] }, 1)).toThrow('/data: Give 1 to 1 points; these are 2.');
  });
});

const name = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom('level', 'flow', 'rain', 'wind', ' a', 'e\u0301', 'é') },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', 'x'.repeat(256), 'x'.repeat(257)) },
);
const odd = fc.oneof(fc.constantFrom(null, true, '', 0, [], {}, '1e3', Infinity, -0), fc.jsonValue({ maxDepth: 1 }));
const rarely = <T>(usual: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 60, arbitrary: usual }, { weight: 1, arbitrary: odd });
const record = (members: Record<string, fc.Arbitrary<unknown>>, required: string[]) =>
  fc
    .tuple(
      fc.record(members, { requiredKeys: required }),
      fc.oneof(
        { weight: 30, arbitrary: fc.constant({}) },
        { weight: 1, arbitrary: fc.dictionary(fc.constantFrom('unit', '__proto__', 'Value', 'toString'), odd) },
        { weight: 1, arbitrary: fc.constantFrom(...required).map((key) => ({ [key]: undefined })) },
      ),
    )
    // through JSON, so that a member is absent rather than undefined
    .map(([object, extra]) => JSON.parse(JSON.stringify({ ...object, ...extra })) as unknown);
const instants = fc.oneof(
  fc
    .date({ min: new Date('0000-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
    .map((d) => d.toISOString()),
  fc.constantFrom('2026-01-31T12:00:00+02:00', '2016-12-31T23:59:60Z', '2026-02-30T12:00:00Z'),
);
const variables = fc.array(
  rarely(
    record({ name: rarely(name), value: rarely(fc.double({ noNaN: true, noDefaultInfinity: true })) }, [
      'name',
      'value',
    ]),
  ),
  {
    maxLength: 4,
  },
);
const points = record(
  {
    instrument_timestamp: rarely(instants),
    instrument_name: rarely(name),
    site_id: rarely(fc.oneof(fc.uuid(), name)),
    ingested_variables: rarely(variables),
  },
  ['instrument_timestamp', 'instrument_name', 'ingested_variables'],
);
const bodies = rarely(record({ data: rarely(fc.array(rarely(points), { maxLength: 4 })) }, ['data']));

test('accepts exactly what the schema accepts, and reads it as a plain reading does', () => {
  const schema = pointsSchema(3);
  let accepted = 0;
  fc.assert(
    fc.property(bodies, (json) => {
      const parsed = schema.safeParse(json);
      if (!parsed.success) {
        expect(() => readPoints(json, 3)).toThrow(WeirError);
        return;
      }
      accepted++;
      expect(readPoints(json, 3).count).toBe(parsed.data.data.length);
      expect(readBack(json)).toEqual(
        parsed.data.data.map((each) => ({
          instantUs: parseInstant(each.instrument_timestamp),
          siteId:
            each.site_id !== undefined && /^[0-9a-f-]{36}$/i.test(each.site_id)
              ? each.site_id.toLowerCase()
              : each.site_id,
          instrumentName: normalizeName(each.instrument_name),
          values: each.ingested_variables.map((variable) => [normalizeName(variable.name), variable.value + 0]),
        })),
      );
    }),
    { numRuns: 1500 },
  );
  expect(accepted).toBeGreaterThan(50);
});
