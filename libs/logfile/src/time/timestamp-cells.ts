import type { CellReader } from '../cell-reader.js';
import { type RowFault, shown } from '../row-fault.js';
import type { ReadTimestamp, TimestampFormat } from './timestamp-format.js';

const joinedBytes = 1024;

/** Reads the timestamp of a row from its cells, as one text. */
export class TimestampCells {
  readonly read: ReadTimestamp = { us: 0, isUtc: false, isLeap: false };
  readonly #indexes: readonly number[];
  readonly #format: TimestampFormat;
  readonly #formatName: string;
  readonly #between: Uint8Array;
  readonly #joined = Buffer.allocUnsafeSlow(joinedBytes);

  constructor(indexes: readonly number[], joinWith: string, format: TimestampFormat, formatName: string) {
    this.#indexes = indexes;
    this.#between = Buffer.from(joinWith, 'utf8');
    this.#format = format;
    this.#formatName = formatName;
  }

  /** The column that alone has the timestamp; negative where there are several. */
  get onlyColumn(): number {
    return this.#indexes.length === 1 ? (this.#indexes[0] ?? -1) : -1;
  }

  /** The length that each timestamp has, 0 where it may be any. */
  get length(): number {
    return this.#format.length ?? 0;
  }

  /** Reads bytes that are the whole timestamp into `read`; of a certain length, only those that are just as the format is. */
  loadAt(bytes: Uint8Array, start: number, end: number): boolean {
    const format = this.#format;
    // where a cell ends was not looked for then: a tab for a blank would be a delimiter
    if (format.readPlain !== undefined) return format.readPlain(bytes, start, end, this.read);
    return format.read(bytes, start, end, this.read);
  }

  /** Reads into `read`; a fault where the cells are no timestamp. */
  load(cell: CellReader): RowFault | undefined {
    const [first = 0] = this.#indexes;
    if (this.#indexes.length === 1) {
      cell.load(first);
      if (cell.isUtf8 || !hasHigh(cell)) {
        return this.#format.read(cell.bytes, cell.start, cell.end, this.read) ? undefined : this.#faultOf(cell);
      }
    }
    const length = this.#join(cell);
    if (length >= 0 && this.#format.read(this.#joined, 0, length, this.read)) return undefined;
    return this.#faultOf(cell);
  }

  /** The length of the joined text, as UTF-8; negative where it is longer than any timestamp. */
  #join(cell: CellReader): number {
    let length = 0;
    for (const [place, index] of this.#indexes.entries()) {
      if (place > 0) {
        if (length + this.#between.length > joinedBytes) return -1;
        this.#joined.set(this.#between, length);
        length += this.#between.length;
      }
      cell.load(index);
      if (length + cell.end - cell.start > joinedBytes) return -1;
      if (cell.isUtf8 || !hasHigh(cell)) {
        for (let at = cell.start; at < cell.end; at++) this.#joined[length++] = cell.bytes[at] as number;
      } else {
        const text = Buffer.from(cell.text(), 'utf8');
        if (length + text.length > joinedBytes) return -1;
        this.#joined.set(text, length);
        length += text.length;
      }
    }
    return length;
  }

  #faultOf(cell: CellReader): RowFault {
    const texts = this.#indexes.map((index) => {
      cell.load(index);
      return cell.text();
    });
    const text = shown(texts.join(Buffer.from(this.#between).toString('utf8')));
    const message = `${text} is not a time as timestamp.input_format ${shown(this.#formatName)} says; correct one of them.`;
    return { code: 'bad_timestamp', column: this.#indexes[0] ?? 0, message };
  }
}

function hasHigh({ bytes, start, end }: CellReader): boolean {
  for (let at = start; at < end; at++) if ((bytes[at] as number) >= 128) return true;
  return false;
}
