import type { LogfileBatch, LogfileCounts, PointColumns } from './logfile.js';
import type { RowError } from './row-error.js';

/** Points of one row at most: one for each mapping. */
const rowPointsMax = 1024;

/** Collects the points and errors of a batch. */
export class BatchBuilder {
  readonly #most: number;
  errors: RowError[] = [];
  /** Points of the whole file so far. */
  pointsSoFar = 0;
  #count = 0;
  #lines: Float64Array<ArrayBuffer>;
  #atUs: Float64Array<ArrayBuffer>;
  #instruments: Uint32Array<ArrayBuffer>;
  #valueStarts: Uint32Array<ArrayBuffer>;
  #valueCount = 0;
  #variables: Uint32Array<ArrayBuffer>;
  #values: Float64Array<ArrayBuffer>;

  constructor(pointsPerBatch: number) {
    this.#most = pointsPerBatch;
    const capacity = pointsPerBatch + rowPointsMax;
    this.#lines = new Float64Array(capacity);
    this.#atUs = new Float64Array(capacity);
    this.#instruments = new Uint32Array(capacity);
    this.#valueStarts = new Uint32Array(capacity + 1);
    this.#variables = new Uint32Array(capacity);
    this.#values = new Float64Array(capacity);
  }

  get isFull(): boolean {
    return this.#count >= this.#most || this.errors.length >= this.#most;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Begins a point; its values follow. */
  beginPoint(line: number, atUs: number, instrument: number): void {
    const count = this.#count++;
    this.pointsSoFar++;
    this.#lines[count] = line;
    this.#atUs[count] = atUs;
    this.#instruments[count] = instrument;
    this.#valueStarts[count] = this.#valueCount;
  }

  addValue(variable: number, value: number): void {
    const at = this.#valueCount++;
    if (at === this.#values.length) this.#grow();
    this.#variables[at] = variable;
    this.#values[at] = value;
  }

  /** Hands over what there is; points beyond those of a batch stay for the next one. */
  take(counts: LogfileCounts, isLast: boolean, instrumentNames: string[], variableNames: string[]): LogfileBatch {
    const count = Math.min(this.#count, this.#most);
    const left = this.#count - count;
    const end = left === 0 ? this.#valueCount : (this.#valueStarts[count] as number);
    this.#valueStarts[this.#count] = this.#valueCount;
    const points: PointColumns = {
      count,
      lines: this.#lines.slice(0, count),
      atUs: this.#atUs.slice(0, count),
      instruments: this.#instruments.slice(0, count),
      valueStarts: this.#valueStarts.slice(0, count + 1),
      variables: this.#variables.slice(0, end),
      values: this.#values.slice(0, end),
      instrumentNames,
      variableNames,
    };
    for (const column of [this.#lines, this.#atUs, this.#instruments]) column.copyWithin(0, count, this.#count);
    this.#valueStarts.copyWithin(0, count, this.#count);
    for (let at = 0; at < left; at++) this.#valueStarts[at] = (this.#valueStarts[at] as number) - end;
    for (const column of [this.#variables, this.#values]) column.copyWithin(0, end, this.#valueCount);
    this.#count = left;
    this.#valueCount -= end;
    const { errors } = this;
    this.errors = [];
    return { points, errors, counts: { ...counts, points: counts.points - left }, isLast };
  }

  #grow(): void {
    const length = this.#values.length * 2;
    const variables = new Uint32Array(length);
    const values = new Float64Array(length);
    variables.set(this.#variables);
    values.set(this.#values);
    this.#variables = variables;
    this.#values = values;
  }
}
