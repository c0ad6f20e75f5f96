import { expect, test } from 'vitest';
import { newWidget, referencesOf } from './index.js';

const layout = { x: 0, y: 0, w: 1, h: 1 };
const id = (number: number) => `019c139f-2c00-7000-8000-${String(number).padStart(12, '0')}`;

test('names everything that widgets show, with its place', () => {
  const widgets = [
    { type: 'time_series', configuration: { series: [{ variable_id: id(1) }, { variable_id: id(2) }] } },
    { type: 'latest_value', configuration: { variable_id: id(1) } },
    { type: 'text', configuration: { markdown: id(9) } },
    { type: 'gauge', configuration: { variable_id: id(3), min: 0, max: 1 } },
    { type: 'table', configuration: { variable_ids: [id(4), id(5)] } },
    { type: 'map', configuration: { instrument_ids: [id(6), id(7)] } },
    { type: 'map', configuration: { group_id: id(8) } },
  ].map((widget) => newWidget.parse({ ...widget, layout }));
  expect(
    referencesOf(widgets).map(({ kind, id: found, path }) => `${kind} ${Number(found.slice(24))} ${path}`),
  ).toEqual([
    'variable 1 /widgets/0/configuration/series/0/variable_id',
    'variable 2 /widgets/0/configuration/series/1/variable_id',
    'variable 1 /widgets/1/configuration/variable_id',
    'variable 3 /widgets/3/configuration/variable_id',
    'variable 4 /widgets/4/configuration/variable_ids/0',
    'variable 5 /widgets/4/configuration/variable_ids/1',
    'instrument 6 /widgets/5/configuration/instrument_ids/0',
    'instrument 7 /widgets/5/configuration/instrument_ids/1',
    'group 8 /widgets/6/configuration/group_id',
  ]);
});
