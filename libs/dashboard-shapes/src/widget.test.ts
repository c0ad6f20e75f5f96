import { type ErrorDetail, WeirError } from '@weir/kit/errors';
import { addIssues, Faults } from '@weir/kit/faults';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { newWidget, savedWidget, widgetsOf } from './widget.js';

const variable = '019c139f-2c00-7000-8000-2f5f2c7c1100';
const layout = { x: 0, y: 0, w: 12, h: 4 };
const series = { variable_id: variable };

function faultsOf(schema: z.ZodType, json: unknown): readonly ErrorDetail[] {
  const faults = new Faults();
  addIssues(schema.safeParse(json, { reportInput: true }).error?.issues ?? [], faults);
  try {
    faults.throwIfAny();
  } catch (error) {
    if (error instanceof WeirError) return error.details;
    throw error;
  }
  return [];
}

const pathsOf = (schema: z.ZodType, json: unknown) => faultsOf(schema, json).map(({ path, code }) => `${path} ${code}`);

/** The faults of a widget's configuration, with paths from there. */
function configurationFaults(type: string, configuration: unknown): string[] {
  return pathsOf(newWidget, { type, layout, configuration }).map((fault) => fault.replace('/configuration', ''));
}

describe('newWidget', () => {
  test('fills in defaults', () => {
    expect(newWidget.parse({ type: 'time_series', layout, configuration: { series: [series] } })).toEqual({
      type: 'time_series',
      title: '',
      layout,
      configuration: {
        series: [{ variable_id: variable, aggregation: 'mean', axis: 'left', color: null, style: 'line' }],
      },
    });
    expect(
      newWidget.parse({ type: 'gauge', layout, configuration: { ...series, min: -0, max: 1 } }).configuration,
    ).toEqual({ variable_id: variable, min: 0, max: 1, thresholds: [] });
  });

  test('normalizes titles and ids', () => {
    const configuration = { variable_id: variable.toUpperCase() };
    expect(newWidget.parse({ type: 'latest_value', title: ' Cafe\u0301 ', layout, configuration })).toMatchObject({
      title: 'Café',
      configuration: { variable_id: variable },
    });
  });

  test.each(['aaaaaaaaaaaaaaaaaaaa', 'aaaaaaaaaaaaaaaaaaaaaa', 'aaaaaaaaaaaaaaaaaaaa!', ''])(
    'refuses the id %j',
    (id) => {
      expect(pathsOf(newWidget, { id, type: 'text', layout, configuration: { markdown: '' } })).toEqual([
        '/id invalid_format',
      ]);
    },
  );

  test('tells in words what a colour is, and an id', () => {
    const configuration = { series: [{ ...series, color: 'red' }] };
    expect(
      faultsOf(newWidget, { id: 'x', type: 'time_series', layout, configuration }).map((one) => one.message),
    ).toEqual(
      expect.arrayContaining([
        'Give 21 characters, each a letter from A to Z or a to z, a digit, - or _.',
        'Give a colour as # and six hexadecimal digits, such as #1f77b4.',
      ]),
    );
  });

  test('tells all faults at once, unknown members at every depth', () => {
    const widget = {
      type: 'time_series',
      title: 'x'.repeat(257),
      layout: { x: 24, y: -1, w: 0, h: 1001, z: 1 },
      configuration: { series: [{ variable_id: 'x', aggregation: 'avg', color: 'red', width: 1 }], legend: true },
      dashboard_id: variable,
    };
    expect(pathsOf(newWidget, widget).sort()).toEqual([
      '/configuration/legend unknown_field',
      '/configuration/series/0/aggregation invalid_choice',
      '/configuration/series/0/color invalid_format',
      '/configuration/series/0/variable_id invalid_format',
      '/configuration/series/0/width unknown_field',
      '/dashboard_id unknown_field',
      '/layout/h out_of_range',
      '/layout/w out_of_range',
      '/layout/x out_of_range',
      '/layout/y out_of_range',
      '/layout/z unknown_field',
      '/title invalid_title',
    ]);
  });

  test.each([
    [{ type: 'pie', layout, configuration: {} }, '/type invalid_choice'],
    [{ layout, configuration: {} }, '/type invalid_choice'],
    [{ type: 'text', configuration: { markdown: '' } }, '/layout required'],
    [{ type: 'text', layout }, '/configuration required'],
    [{ type: 'text', layout: { ...layout, x: 13 }, configuration: { markdown: '' } }, '/layout/w out_of_range'],
    [{ type: 'text', layout: { ...layout, x: 0.5 }, configuration: { markdown: '' } }, '/layout/x invalid_type'],
    [{ type: 'text', layout, configuration: series }, '/configuration/markdown required'],
  ])('refuses %j', (widget, fault) => {
    expect(pathsOf(newWidget, widget)).toContain(fault);
  });

  test('takes every place on the grid, and no other', () => {
    const widget = (place: object) => ({ type: 'text', layout: place, configuration: { markdown: '' } });
    const some = fc.integer({ min: -2, max: 27 });
    fc.assert(
      fc.property(
        some,
        some,
        fc.integer({ min: -1, max: 100_001 }),
        fc.integer({ min: -1, max: 1002 }),
        (x, w, y, h) => {
          const fits = x >= 0 && w >= 1 && x + w <= 24 && y >= 0 && y <= 100_000 && h >= 1 && h <= 1000;
          expect(newWidget.safeParse(widget({ x, y, w, h })).success).toBe(fits);
        },
      ),
    );
  });
});

describe('configurations', () => {
  const many = (count: number) => Array.from({ length: count }, () => variable);

  test.each<[string, unknown, string[]]>([
    ['time_series', { series: Array.from({ length: 20 }, () => series) }, []],
    ['time_series', { series: [] }, ['/series out_of_range']],
    ['time_series', { series: Array.from({ length: 21 }, () => series) }, ['/series out_of_range']],
    [
      'time_series',
      { series: [{ ...series, aggregation: 'none', axis: 'right', color: '#00FFaa', style: 'bar' }] },
      [],
    ],
    ['time_series', { series: [{ ...series, axis: 'top' }] }, ['/series/0/axis invalid_choice']],
    ['time_series', { series: [{ ...series, style: null }] }, ['/series/0/style invalid_choice']],
    ['latest_value', series, []],
    ['latest_value', {}, ['/variable_id required']],
    ['gauge', { ...series, min: 0, max: 0 }, ['/min invalid_range']],
    ['gauge', { ...series, min: 0, max: Number.POSITIVE_INFINITY }, ['/max out_of_range']],
    ['gauge', { ...series, min: 0, max: 1, thresholds: [{ value: 0.5, color: '#ff0000' }] }, []],
    ['gauge', { ...series, min: 0, max: 1, thresholds: [{ value: 0.5 }] }, ['/thresholds/0/color required']],
    [
      'gauge',
      { ...series, min: 0, max: 1, thresholds: Array.from({ length: 21 }, () => ({ value: 0, color: '#000000' })) },
      ['/thresholds out_of_range'],
    ],
    ['table', { variable_ids: many(50) }, []],
    ['table', { variable_ids: [] }, ['/variable_ids out_of_range']],
    ['table', { variable_ids: many(51) }, ['/variable_ids out_of_range']],
    ['map', { instrument_ids: many(100) }, []],
    ['map', { instrument_ids: many(101) }, ['/instrument_ids out_of_range']],
    ['map', { group_id: variable }, []],
    ['map', { group_id: variable, instrument_ids: many(1) }, ['/group_id unknown_field']],
    ['map', { group_id: 'x' }, ['/group_id invalid_format']],
    ['text', { markdown: '' }, []],
    ['text', { markdown: '🌊'.repeat(65_536) }, []],
    ['text', { markdown: 'x'.repeat(65_537) }, ['/markdown invalid_text']],
    ['text', { markdown: 'a\0' }, ['/markdown invalid_text']],
    ['text', { markdown: '\ud800' }, ['/markdown invalid_text']],
  ])('%s', (type, configuration, faults) => {
    expect(configurationFaults(type, configuration)).toEqual(faults);
  });
});

describe('widgetsOf', () => {
  const id = 'a'.repeat(21);
  const text = (given?: string) => ({
    ...(given !== undefined && { id: given }),
    type: 'text',
    layout,
    configuration: { markdown: '' },
  });

  test('takes no more than it shall', () => {
    expect(pathsOf(widgetsOf(2), [text(), text()])).toEqual([]);
    expect(pathsOf(widgetsOf(2), [text(), text(), text()])).toEqual([' out_of_range']);
  });

  test('names every id that stands twice', () => {
    const widgets = [text(id), text(), text(id), text('b'.repeat(21)), text(id), text()];
    expect(pathsOf(widgetsOf(10), widgets)).toEqual(['/2/id duplicate_id', '/4/id duplicate_id']);
  });
});

test('what was saved is the same again', () => {
  const hex = fc.constantFrom(...'0123456789abcdefABCDEF');
  const color = fc.array(hex, { minLength: 6, maxLength: 6 }).map((digits) => `#${digits.join('')}`);
  const aSeries = fc.record(
    {
      variable_id: fc.uuid({ version: 7 }),
      aggregation: fc.constantFrom('mean', 'none', 'p95'),
      axis: fc.constantFrom('left', 'right'),
      color: fc.option(color),
      style: fc.constantFrom('line', 'bar', 'points'),
    },
    { requiredKeys: ['variable_id'] },
  );
  const number = fc.double({ noNaN: true, noDefaultInfinity: true });
  const gauge = fc.record({ variable_id: fc.uuid(), min: number, max: number });
  const widget = fc.oneof(
    fc.record({
      type: fc.constant('time_series'),
      title: fc.string({ unit: 'grapheme' }),
      configuration: fc.record({ series: fc.array(aSeries, { minLength: 1, maxLength: 20 }) }),
    }),
    fc.record({ type: fc.constant('gauge'), configuration: gauge }),
  );
  fc.assert(
    fc.property(widget, (given) => {
      const parsed = newWidget.safeParse({ ...given, layout });
      fc.pre(parsed.success);
      const saved = { ...parsed.data, id: 'a'.repeat(21), dashboard_id: variable };
      expect(savedWidget.parse(JSON.parse(JSON.stringify(saved)))).toStrictEqual(saved);
    }),
  );
});
