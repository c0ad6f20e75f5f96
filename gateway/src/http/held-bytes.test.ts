import { describe, expect, test } from 'vitest';
import { HeldBytes, heldBytesMaxOf } from './held-bytes.js';

describe('bytes that are held', () => {
  test('are those that each request says last, until it says none', () => {
    const held = new HeldBytes(1000);
    const one = held.open('a');
    const other = held.open('a');
    one.holds(100);
    other.holds(50);
    one.holds(300);
    expect(held.all).toBe(350);
    one.holds(0);
    other.holds(0);
    expect(held.all).toBe(0);
  });

  test('of a key are half of what the others leave', () => {
    const held = new HeldBytes(1_000_000);
    const [greedy, second, third] = [held.open('a'), held.open('b'), held.open('c')];
    expect(() => greedy.holds(500_001)).toThrow('send the request again');
    greedy.holds(500_000);
    expect(() => held.open('a').holds(20_000)).toThrow(expect.objectContaining({ code: 'dependency_unavailable' }));
    expect(() => second.holds(250_001)).toThrow();
    second.holds(250_000);
    third.holds(125_000);
    expect(held.all).toBe(875_000);
  });

  test('stay as they were where more is refused, and less is never', () => {
    const held = new HeldBytes(1_000_000);
    const request = held.open('a');
    request.holds(400_000);
    expect(() => request.holds(600_000)).toThrow();
    expect(held.all).toBe(400_000);
    held.open('b').holds(300_000);
    request.holds(390_000);
    expect(held.all).toBe(690_000);
  });

  test('may be more where a request is small', () => {
    const held = new HeldBytes(1_000_000);
    held.open('a').holds(500_000);
    const small = held.open('a');
    small.holds(16_384);
    expect(() => small.holds(16_385)).toThrow('send the request again');
    expect(held.all).toBe(516_384);
  });
});

test('as many are allowed as the largest request needs alone', () => {
  const body = (bytesMax: number, gzip: boolean) => ({
    body: { bytesMax, gzip, schema: undefined as never, example: undefined },
  });
  const operations = [{}, body(70, false), body(50, true)];
  expect(heldBytesMaxOf(operations, { heldBytesMax: 1, responseBytesMax: 80 })).toBe(200);
  expect(heldBytesMaxOf(operations, { heldBytesMax: 1, responseBytesMax: 120 })).toBe(240);
  expect(heldBytesMaxOf(operations, { heldBytesMax: 1000, responseBytesMax: 120 })).toBe(1000);
});
