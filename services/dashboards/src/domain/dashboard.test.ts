import { WeirError } from '@weir/kit/errors';
import { applyChange } from '@weir/kit/patches';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DashboardChange, parseDashboardUpdate, parseNewDashboard } from './dashboard.js';
import { type WidgetInput, withIds } from './widget.js';

const actor = { type: 'user', id: 'ada' };
const id = 'a'.repeat(21);
const text = (markdown: string, given = ''): WidgetInput => ({
  id: given,
  type: 'text',
  title: '',
  layout: { x: 0, y: 0, w: 1, h: 1 },
  configurationJson: JSON.stringify({ markdown }),
});

function faultsOf(work: () => unknown): string[] {
  try {
    work();
  } catch (error) {
    if (!(error instanceof WeirError)) throw error;
    return error.details.map(({ path, code }) => `${path} ${code}`);
  }
  return [];
}

describe('a new dashboard', () => {
  test('is normalized; ids of widgets are left to be made', () => {
    const input = {
      name: ' A ',
      description: '',
      timeRangeJson: '{"last_seconds":60}',
      widgets: [text('one', id), text('two')],
      actor,
    };
    const created = parseNewDashboard(input, 2);
    expect(created).toMatchObject({ name: 'A', timeRange: { last_seconds: 60 }, widgets: [{ id }, {}], actor });
    expect(withIds(created.widgets, () => 'new').map((widget) => widget.id)).toEqual([id, 'new']);
  });

  test('tells every fault at once', () => {
    const wrong = {
      name: '',
      description: '\0',
      timeRangeJson: '{',
      widgets: [text('a', id), { ...text('b', id), configurationJson: '"b"' }, text('c')],
    };
    expect(faultsOf(() => parseNewDashboard(wrong, 3))).toEqual([
      '/name invalid_name',
      '/description invalid_text',
      '/time_range invalid_json',
      '/widgets/1/configuration invalid_type',
      '/actor invalid_actor',
    ]);
    expect(faultsOf(() => parseNewDashboard({ ...wrong, widgets: [text(''), text('')] }, 1))).toContain(
      '/widgets out_of_range',
    );
  });
});

describe('an update', () => {
  const changeOf = (patch: object): Partial<DashboardChange> =>
    parseDashboardUpdate({ expectedRevision: 1, patch: { cleared: [], ...patch }, actor }, 10).change;

  test('has what is given, and clears what may be null', () => {
    expect(changeOf({})).toStrictEqual({});
    expect(changeOf({ name: ' B ', cleared: ['time_range'] })).toStrictEqual({ name: 'B', timeRange: undefined });
    expect(changeOf({ widgets: { items: [] } })).toStrictEqual({ widgets: [] });
  });

  test('tells every fault at once', () => {
    const patch = { name: '\n', cleared: ['widgets'], timeRangeJson: '{"last_seconds":-1}' };
    expect(faultsOf(() => parseDashboardUpdate({ expectedRevision: 0, patch }, 10))).toEqual([
      '/expected_revision required',
      '/name invalid_name',
      '/time_range/last_seconds out_of_range',
      '/widgets not_nullable',
      '/actor invalid_actor',
    ]);
  });

  test('with the widgets as they are changes nothing; with another order, text or number of them it does', () => {
    const markdowns = fc.uniqueArray(fc.string({ unit: 'grapheme-ascii' }), { minLength: 2, maxLength: 8 });
    fc.assert(
      fc.property(markdowns, (all) => {
        const items = all.map((markdown, index) => text(markdown, String(index).padStart(21, '-')));
        const saved = { widgets: JSON.parse(JSON.stringify(changeOf({ widgets: { items } }).widgets ?? [])) as [] };
        const isChanged = (given: readonly WidgetInput[]) =>
          applyChange(saved, changeOf({ widgets: { items: given } }) as typeof saved) !== undefined;
        expect(isChanged(items)).toBe(false);
        expect(isChanged(items.toReversed())).toBe(true);
        expect(isChanged(items.slice(1))).toBe(true);
        expect(isChanged(items.with(0, { ...text('other than before', items[0]?.id), title: 'x' }))).toBe(true);
        expect(isChanged(items.with(0, { ...text(all[0] ?? ''), id: '' }))).toBe(true);
      }),
    );
  });
});
