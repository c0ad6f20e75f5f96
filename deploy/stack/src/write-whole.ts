import { renameSync, writeFileSync } from 'node:fs';

/** Writes a file that its owner alone may read, whole or not at all: whoever is killed meanwhile leaves the one of before. */
export function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
}
