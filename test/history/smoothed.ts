import { parse, type Syntax } from '@weir/expression';
import type { Entry, PieceInput } from '../model/final-state.js';
import { expectedResults } from '../model/reference.js';
import type { Stored } from './history.js';

const [windowId, nowId] = ['window_of_ten_seconds', 'the_level_at_its_time'];

/** The calculation that every device has: it reads a window, so that late points reach what is after them. */
export const smoothing = { expression: `mean({${windowId}}) + 2 * {${nowId}}`, windowId, nowId, windowS: 10 } as const;

const inputs: readonly PieceInput[] = [
  { id: windowId, kind: 'self_variable', of: 'level', bufferS: smoothing.windowS },
  { id: nowId, kind: 'self_variable', of: 'level', bufferS: undefined },
];

/** So many instants are computed at a time: the reference looks through all that it is given, for each. */
const pieceSize = 200;

function compute(measured: readonly Entry[], expression: Syntax): Stored {
  const results = expectedResults({
    aliases: new Map([['level', 'level']]),
    constants: new Map(),
    observations: new Map([['level', measured]]),
    calculated: new Map([['smooth', { valueType: 'decimal', pieces: [{ startUs: 0, expression, inputs }] }]]),
  });
  return results.get('smooth')?.entries ?? [];
}

/** What is calculated from measured values, by the plain reference of the calculations' own tests. */
export function smoothed(measured: readonly Entry[]): Stored {
  const { syntax: expression } = parse(smoothing.expression);
  if (expression === undefined) throw new Error(`${smoothing.expression} is no expression`);
  const results: Entry[] = [];
  for (let start = 0; start < measured.length; start += pieceSize) {
    const piece = measured.slice(start, start + pieceSize);
    const fromUs = piece[0]?.[0] ?? 0;
    let before = start;
    while (before > 0 && (measured[before - 1]?.[0] ?? 0) > fromUs - smoothing.windowS * 1e6) before--;
    const computed = compute(measured.slice(before, start + pieceSize), expression);
    results.push(...computed.filter(([atUs]) => atUs >= fromUs));
  }
  return results;
}
