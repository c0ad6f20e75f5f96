import { describe, expect, test } from 'vitest';
import { WeirError } from '../errors/index.js';
import { Faults } from '../faults/index.js';
import {
  nameTaken,
  parseActor,
  parseChange,
  parseFreeText,
  parseName,
  requireActive,
  toRecordMessage,
  visible,
} from './index.js';

/** What `work` reports, as `path code`, or the code of what it throws with its details' paths. */
function faultsOf(work: (faults: Faults) => void): string[] {
  const faults = new Faults();
  try {
    work(faults);
    faults.throwIfAny();
  } catch (error) {
    if (!(error instanceof WeirError)) throw error;
    return error.details.length === 0 ? [error.code] : error.details.map(({ path, code }) => `${path} ${code}`);
  }
  return [];
}

describe('actors', () => {
  test('are taken as they are', () => {
    const actor = { type: 'user', id: 'ada' };
    expect(parseActor(actor, '/actor', new Faults())).toEqual(actor);
    expect(parseChange({ actor })).toEqual(actor);
  });

  test.each([undefined, { type: 'robot', id: 'x' }, { type: 'system', id: '' }])('are not %j', (actor) => {
    expect(faultsOf((faults) => parseActor(actor, '/actor', faults))).toEqual(['/actor invalid_actor']);
    expect(faultsOf(() => parseChange({ actor }))).toEqual(['/actor invalid_actor']);
  });
});

test('names are normalized, free texts are not', () => {
  expect(parseName(' Cafe\u0301 ', '/name', new Faults())).toBe('Café');
  expect(parseFreeText(' Cafe\u0301 ', '/text', new Faults())).toBe(' Cafe\u0301 ');
  expect(parseFreeText(undefined, '/text', new Faults())).toBeUndefined();
  expect(faultsOf((faults) => parseName(' ', '/name', faults))).toEqual(['/name invalid_name']);
  expect(faultsOf((faults) => parseFreeText('\0', '/text', faults))).toEqual(['/text invalid_text']);
});

describe('lifecycle', () => {
  const archived = { archivedAtUs: 1, archivedBy: { type: 'user', id: 'ada' } };

  test('hides what is archived, and refuses to change it', () => {
    expect(visible({}, 'site', false)).toEqual({});
    expect(visible(archived, 'site', true)).toBe(archived);
    expect(faultsOf(() => visible(archived, 'site', false))).toEqual(['not_found']);
    expect(faultsOf(() => visible(undefined, 'site', true))).toEqual(['not_found']);
    requireActive({}, 'path/site_id', 'site');
    expect(faultsOf(() => requireActive(archived, 'path/site_id', 'site'))).toEqual(['path/site_id archived']);
  });

  test('is told with what all records have', () => {
    const members = { id: 'a', projectId: 'p', name: 'A', revision: 2, createdAtUs: 1, updatedAtUs: 2 };
    const record = { ...members, updatedBy: archived.archivedBy };
    expect(toRecordMessage(record)).toEqual({ ...members, lifecycle: { state: 'active' } });
    const lifecycle = { state: 'archived', ...archived };
    expect(toRecordMessage({ ...record, ...archived })).toEqual({ ...members, lifecycle });
  });
});

test('a taken name names its member', () => {
  expect(nameTaken('/name', 'active site of the project')).toMatchObject({
    code: 'name_conflict',
    message: 'Another active site of the project has this name; choose another, or rename or archive that one.',
    details: [{ path: '/name' }],
  });
  expect(nameTaken('/alias', 'variable').message).toContain('this alias; choose another, or change or archive');
});
