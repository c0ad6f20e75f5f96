import { describe, expect, test } from 'vitest';
import { createOutput } from './output.js';

function streams(isTTY: boolean) {
  const text = { out: '', err: '' };
  const output = createOutput(
    { isTTY, write: (part: string) => (text.out += part) },
    { isTTY, write: (part: string) => (text.err += part) },
  );
  return { output, text };
}

const columns = [
  { heading: 'id', value: (record: { id: number; name: string | null }) => record.id },
  { heading: 'name', value: (record: { id: number; name: string | null }) => record.name },
];
const records = [
  { id: 1, name: 'Bach' },
  { id: 1000, name: null },
];

describe('a list', () => {
  test('is a table at a terminal', () => {
    const { output, text } = streams(true);
    output.list(columns, records, { hasMore: true, json: false });
    expect(text.out).toBe('ID    NAME\n1     Bach\n1000  -\n');
    expect(text.err).toBe('There are more than these 2; ask for them with --limit.\n');
  });

  test('is lines of tab-separated values in a pipe', () => {
    const { output, text } = streams(false);
    output.list(columns, records, { hasMore: false, json: false });
    expect(text).toEqual({ out: '1\tBach\n1000\t-\n', err: '' });
  });

  test('is one document with --json, wherever it goes', () => {
    for (const isTTY of [true, false]) {
      const { output, text } = streams(isTTY);
      output.list(columns, records, { hasMore: true, json: true });
      expect(JSON.parse(text.out)).toEqual({ items: records, has_more: true });
      expect(text.err).toBe('');
    }
  });

  test('of nothing says so to a person, and nothing to a program', () => {
    const terminal = streams(true);
    terminal.output.list(columns, [], { hasMore: false, json: false });
    expect(terminal.text).toEqual({ out: '', err: 'There are none.\n' });
    const pipe = streams(false);
    pipe.output.list(columns, [], { hasMore: false, json: false });
    expect(pipe.text).toEqual({ out: '', err: '' });
  });
});

describe('a record', () => {
  test('is a line a member', () => {
    const members = { id: 'x', permissions: ['a', 'b'], secrets: [], expires_at: null, point: { y: 1 } };
    const terminal = streams(true);
    terminal.output.record(members, { json: false });
    expect(terminal.text.out).toBe(
      'id           x\npermissions  a,b\nsecrets      -\nexpires_at   -\npoint        {"y":1}\n',
    );
    const pipe = streams(false);
    pipe.output.record(members, { json: false });
    expect(pipe.text.out).toContain('permissions\ta,b\n');
  });

  test('never sends control characters to the terminal', () => {
    const { output, text } = streams(true);
    output.record({ name: 'a\u001b[31mred\n' }, { json: false });
    expect(text.out).toBe('name  a\u{fffd}[31mred\u{fffd}\n');
  });
});

test('progress is written over itself, at a terminal alone', () => {
  for (const isTTY of [true, false]) {
    const { output, text } = streams(isTTY);
    const progress = output.progress();
    progress.show(1, 2, 'half');
    progress.clear();
    expect(text.out).toBe('');
    expect(text.err).toBe(isTTY ? `\r\u{1b}[2K[${'#'.repeat(12)}${'.'.repeat(12)}]  50% half\r\u{1b}[2K` : '');
  }
});
