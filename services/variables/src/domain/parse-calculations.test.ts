import { WeirError } from '@weir/kit/errors';
import { Faults } from '@weir/kit/faults';
import { observationInstantEndUs, observationInstantMinUs } from '@weir/kit/time';
import { describe, expect, test } from 'vitest';
import { type CalculationRequest, parseCalculations } from './parse-calculations.js';

const idOf = (letter: string): string => letter.repeat(21);

function request(change: object = {}, input: object = {}): CalculationRequest {
  const level = { id: '', kind: 'self_variable', variableId: 'v', ...input };
  return { id: '', startTimeUs: 0, expression: 'level', editorTokens: [], inputs: [level], ...change };
}

function faultsOf(requests: readonly CalculationRequest[]): string[] {
  const faults = new Faults();
  parseCalculations(requests, faults);
  try {
    faults.throwIfAny();
  } catch (error) {
    if (!(error instanceof WeirError)) throw error;
    return error.details.map(({ path, code }) => `${path} ${code}`);
  }
  return [];
}

describe('calculations', () => {
  test('keep the order and the ids of the request', () => {
    const requests = [
      request({ startTimeUs: 9, id: idOf('a') }),
      request({ startTimeUs: 5, editorTokens: [{ kind: 'input', text: 'level' }] }),
    ];
    const parsed = parseCalculations(requests, new Faults());
    expect(parsed.map(({ id, startTimeUs }) => [id, startTimeUs])).toEqual([
      [idOf('a'), 9],
      [undefined, 5],
    ]);
    expect(parsed[1]?.editorTokens).toEqual([{ kind: 'input', text: 'level' }]);
  });

  test('read a hundred different constants at most', () => {
    const reading = (count: number, from: number) =>
      request({
        startTimeUs: from,
        inputs: Array.from({ length: count }, (_, n) => ({ id: '', kind: 'constant', constantId: `c${from + n}` })),
      });
    expect(faultsOf([reading(60, 0), reading(60, 40)])).toEqual([]);
    expect(faultsOf([reading(60, 0), reading(60, 41)])).toEqual(['/calculations too_many']);
  });

  test('may be none', () => {
    expect(faultsOf([])).toEqual([]);
    expect(faultsOf([request({ inputs: [] })])).toEqual([]);
  });

  test('begin within the time of observations', () => {
    const starts = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
    const parsed = parseCalculations(
      starts.map((startTimeUs) => request({ startTimeUs })),
      new Faults(),
    );
    expect(parsed.map(({ startTimeUs }) => startTimeUs)).toEqual([observationInstantMinUs, observationInstantEndUs]);
    expect(faultsOf([-1, -2].map((far) => request({ startTimeUs: observationInstantMinUs + far })))).toEqual([
      '/calculations/1/start_time duplicate_start_time',
    ]);
  });

  test('have ids of their own', () => {
    const twice = [request({ id: idOf('a') }), request({ id: idOf('a'), startTimeUs: 1 })];
    expect(faultsOf(twice)).toEqual(['/calculations/1/id duplicate_id']);
    expect(faultsOf([request({ id: 'short' })])).toEqual(['/calculations/0/id invalid_id']);
  });

  test.each<[string, object, string]>([
    ['no expression', { expression: '' }, '/expression missing_operand'],
    ['a long one', { expression: 'x'.repeat(4097) }, '/expression too_long'],
    ['NUL in it', { expression: 'x\0' }, '/expression invalid_character'],
    ['one that breaks off', { expression: 'x + ' }, '/expression missing_operand'],
    ['another token', { editorTokens: [{ kind: 'word', text: 'x' }] }, '/editor_tokens/0/kind invalid_value'],
    [
      'a long token',
      { editorTokens: [{ kind: 'text', text: 'x'.repeat(4097) }] },
      '/editor_tokens/0/text invalid_text',
    ],
    ['tokens', { editorTokens: Array(1001).fill({ kind: 'text', text: '' }) }, '/editor_tokens too_many'],
    ['inputs', { inputs: Array(101).fill({ id: '', kind: 'constant', constantId: 'k' }) }, '/inputs too_many'],
  ])('are refused: %s', (_, change, fault) => {
    expect(faultsOf([request({ startTimeUs: 1 }), request(change)])).toEqual([`/calculations/1${fault}`]);
  });

  test('are a thousand at most', () => {
    const many = Array.from({ length: 1001 }, (_, startTimeUs) => request({ startTimeUs, inputs: [] }));
    expect(faultsOf(many.slice(1))).toEqual([]);
    expect(faultsOf(many)).toEqual(['/calculations too_many']);
  });
});

describe('inputs', () => {
  test.each<[string, object]>([
    ['a variable of the instrument', {}],
    ['that says so', { sourceInstrumentId: 'i' }],
    ['with a buffer', { pastBufferSeconds: 0.5 }],
    ['with the longest', { pastBufferSeconds: 366 * 86_400 }],
    ['a variable of another one', { kind: 'instrument_variable', sourceInstrumentId: 'i' }],
    ['a constant', { kind: 'constant', variableId: undefined, constantId: 'k' }],
  ])('may be %s', (_, input) => {
    expect(faultsOf([request({}, input)])).toEqual([]);
  });

  test.each<[string, object, string[]]>([
    ['no kind', { kind: '' }, ['/kind invalid_value']],
    ['no variable', { variableId: undefined }, ['/variable_id required']],
    ['a variable that is empty', { variableId: '' }, ['/variable_id required']],
    ['a constant with a variable', { constantId: 'k' }, ['/constant_id not_allowed']],
    ['no instrument', { kind: 'instrument_variable' }, ['/source_instrument_id required']],
    [
      'a variable for a constant',
      { kind: 'constant', sourceInstrumentId: 'i', pastBufferSeconds: 1 },
      [
        '/variable_id not_allowed',
        '/constant_id required',
        '/source_instrument_id not_allowed',
        '/past_buffer_seconds not_allowed',
      ],
    ],
    ['no time', { pastBufferSeconds: 0 }, ['/past_buffer_seconds out_of_range']],
    ['time to come', { pastBufferSeconds: -1 }, ['/past_buffer_seconds out_of_range']],
    ['endless time', { pastBufferSeconds: Number.POSITIVE_INFINITY }, ['/past_buffer_seconds out_of_range']],
    ['no number', { pastBufferSeconds: Number.NaN }, ['/past_buffer_seconds out_of_range']],
    ['more than a year', { pastBufferSeconds: 366 * 86_400 + 1 }, ['/past_buffer_seconds out_of_range']],
    ['another id', { id: 'ä'.repeat(21) }, ['/id invalid_id']],
  ])('cannot be %s', (_, input, faults) => {
    expect(faultsOf([request({}, input)])).toEqual(faults.map((fault) => `/calculations/0/inputs/0${fault}`));
  });

  test('have ids of their own within a calculation', () => {
    const input = { id: idOf('i'), kind: 'self_variable', variableId: 'v' };
    const both = [request({ inputs: [input] }), request({ inputs: [input, input], startTimeUs: 1 })];
    expect(faultsOf(both)).toEqual(['/calculations/1/inputs/1/id duplicate_id']);
  });
});
