import { normalizeName } from '@weir/kit/text';
import { Names } from './names.js';

/** With more names than this, the next batch begins with none. */
const namesKept = 5000;
/** With more names than this, a batch is full: there may be a name for every value, and each takes more than the value. */
const namesMax = 20_000;

/** The names of variables that batches refer to. */
export class VariableNames {
  names = new Names();
  /** Changes when the numbers do. */
  generation = 0;
  readonly #isPrefixed: boolean;

  constructor(isPrefixed: boolean) {
    this.#isPrefixed = isPrefixed;
  }

  /** Numbers that depend on the instrument. */
  get isPrefixed(): boolean {
    return this.#isPrefixed;
  }

  /** The name of a variable as its points have it; undefined where it is too long for one. */
  nameOf(instrumentName: string, variableName: string): string | undefined {
    return this.#isPrefixed ? normalizeName(`${instrumentName} ${variableName}`) : variableName;
  }

  /** Whether a batch that refers to them is full. */
  get areMany(): boolean {
    return this.names.list.length > namesMax;
  }

  /** Forgets what a file with ever new names has filled, unless the next batch has points already. */
  beginBatch(isEmpty: boolean): void {
    if (!isEmpty || this.names.list.length <= namesKept) return;
    this.names = new Names();
    this.generation++;
  }
}
