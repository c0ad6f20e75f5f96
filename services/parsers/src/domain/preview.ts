import { type LogfileBatch, type LogfileCounts, type LogfilePoint, pointsOf, type RowError } from '@weir/logfile';

/** What the points and the row errors of one preview may take, each, in bytes of JSON. */
const budgetBytes = { points: 8 * 1024 * 1024, rowErrors: 1024 * 1024 };

/** What a point, a value and a row error take beside their texts. */
const overheadBytes = { point: 160, value: 48, rowError: 96 };

function bytesOfPoint({ instrumentName, variables }: LogfilePoint): number {
  let bytes = overheadBytes.point + Buffer.byteLength(instrumentName);
  for (const { name } of variables) bytes += overheadBytes.value + Buffer.byteLength(name);
  return bytes;
}

function bytesOfRowError({ message, raw }: RowError): number {
  // a control character takes six
  return overheadBytes.rowError + Buffer.byteLength(message) + 6 * Buffer.byteLength(raw);
}

/** What a small file holds, as far as an answer has room for it; the counts are of all. */
export class Preview {
  readonly points: LogfilePoint[] = [];
  readonly rowErrors: RowError[] = [];
  counts: LogfileCounts = { rows: 0, points: 0, errors: 0, missing: 0, skipped: 0 };
  truncated = false;
  #pointBytes = 0;
  #rowErrorBytes = 0;

  /** Takes over what was read; what comes after the first thing without room is left out. */
  add({ points, errors, counts }: LogfileBatch): void {
    this.counts = counts;
    const isWhole = [this.#addPoints(points), this.#addRowErrors(errors)];
    if (isWhole.includes(false)) this.truncated = true;
  }

  #addPoints(points: LogfileBatch['points']): boolean {
    if (this.#pointBytes > budgetBytes.points) return points.count === 0;
    for (const point of pointsOf(points)) {
      this.#pointBytes += bytesOfPoint(point);
      if (this.#pointBytes > budgetBytes.points) return false;
      this.points.push(point);
    }
    return true;
  }

  #addRowErrors(errors: readonly RowError[]): boolean {
    if (this.#rowErrorBytes > budgetBytes.rowErrors) return errors.length === 0;
    for (const error of errors) {
      this.#rowErrorBytes += bytesOfRowError(error);
      if (this.#rowErrorBytes > budgetBytes.rowErrors) return false;
      this.rowErrors.push(error);
    }
    return true;
  }
}
