import type { Syntax } from '@weir/expression';

/** An observation, or a step of a constant: when, and what. */
export type Entry = readonly [atUs: number, value: number];

/** What a calculation reads, by the key that a test gives to a variable or a constant. */
export interface PieceInput {
  /** 21 characters */
  readonly id: string;
  readonly kind: 'self_variable' | 'instrument_variable' | 'constant';
  readonly of: string;
  readonly bufferS: number | undefined;
}

/** One piece of a calculated variable. */
export interface Piece {
  readonly startUs: number;
  readonly expression: Syntax;
  readonly inputs: readonly PieceInput[];
}

export const valueTypes = ['decimal', 'integer', 'boolean'] as const;

/** What decides the values of a calculated variable. */
export interface Computation {
  readonly valueType: (typeof valueTypes)[number];
  readonly pieces: readonly Piece[];
}

/** All that results follow from. */
export interface FinalState {
  /** of variables and constants */
  readonly aliases: ReadonlyMap<string, string>;
  readonly constants: ReadonlyMap<string, readonly Entry[]>;
  /** Of ingested variables, in ascending time, each instant once. */
  readonly observations: ReadonlyMap<string, readonly Entry[]>;
  /** Those that are active; each reads only what stands before it. */
  readonly calculated: ReadonlyMap<string, Computation>;
}
