import { normalizeName } from '@weir/kit/text';
import type { CellReader } from './cell-reader.js';

/** Spellings of names that are kept; with more, what is there is found anew. */
const spellingsMax = 5000;
/** Longer ones are read each time. */
const spellingBytesMax = 256;

/** Names with numbers. The list is what batches refer to. */
export class Names {
  readonly list: string[] = [];
  readonly #numbers = new Map<string, number>();

  /** The number of a name; -1 for a new one where there are `most` already. */
  numberOf(name: string, most = Number.POSITIVE_INFINITY): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    if (this.list.length >= most) return -1;
    const number = this.list.push(name) - 1;
    this.#numbers.set(name, number);
    return number;
  }
}

/** Reads names from cells: one in NFC, null for what cannot be a name, empty for an empty cell. */
export class CellNames {
  readonly #names = new Map<string, string | null>();

  read(cell: CellReader): string | null {
    if (cell.isEmpty) return '';
    const bytes = cell.bytes;
    const spelling = Buffer.from(bytes.buffer, bytes.byteOffset + cell.start, cell.end - cell.start).toString('latin1');
    // a cell that was put in UTF-8 is not spelled as the file is
    const key = cell.isInFile ? spelling : `\0${spelling}`;
    let name = this.#names.get(key);
    if (name === undefined) {
      name = normalizeName(cell.text()) ?? null;
      if (this.#names.size >= spellingsMax) this.#names.clear();
      if (spelling.length <= spellingBytesMax) this.#names.set(key, name);
    }
    return name;
  }
}

/** The name of a file without its directory and its last extension. */
export function baseName(fileName: string): string {
  const file = fileName.slice(Math.max(fileName.lastIndexOf('/'), fileName.lastIndexOf('\\')) + 1);
  const dot = file.lastIndexOf('.');
  return dot > 0 ? file.slice(0, dot) : file;
}
