import { type ExpressionInput, inputFinder } from './references.js';
import type { Reference } from './syntax.js';

/** What an expression needs of an input to be evaluated. */
export interface InputNeeds {
  /** its value at each instant */
  readonly value: boolean;
  /** its value before each instant */
  readonly previous: boolean;
  /** its window before each instant */
  readonly windows: boolean;
}

/** A function over the window of an input; the expression names it once or more often. */
export interface WindowRead {
  readonly input: number;
  readonly name: string;
}

/** What compiling collects on its way. */
export class Compilation {
  parts = 0;
  readonly windowReads: WindowRead[] = [];
  readonly needs: { value: boolean; previous: boolean; windows: boolean }[];
  readonly #find: ReturnType<typeof inputFinder>;

  constructor(inputs: readonly ExpressionInput[]) {
    this.#find = inputFinder(inputs);
    this.needs = inputs.map(() => ({ value: false, previous: false, windows: false }));
  }

  /** The place of the input that a reference means, which is now needed. */
  need(reference: Reference, what: keyof InputNeeds): number {
    const [input] = this.#find(reference);
    const needs = input === undefined ? undefined : this.needs[input];
    if (input === undefined || needs === undefined) throw new Error('the expression is not checked');
    needs[what] = true;
    return input;
  }

  /** The place of a window function over an input: one for all places of the expression that have it. */
  windowSlot(name: string, input: number): number {
    const found = this.windowReads.findIndex((read) => read.name === name && read.input === input);
    return found === -1 ? this.windowReads.push({ name, input }) - 1 : found;
  }
}
