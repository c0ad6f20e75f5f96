import { LogfileRefused } from './refusal.js';

/** As much of a file as is looked at. */
export const sniffedBytes = 1024;

const signatures: readonly (readonly [string, string])[] = [
  ['PK\x03\x04', 'a ZIP file (as .xlsx and .ods are)'],
  ['PK\x05\x06', 'an empty ZIP file'],
  ['\x1f\x8b', 'a GZIP file'],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'a document of old Microsoft Office (as .xls is)'],
  ['%PDF-', 'a PDF file'],
  ['SQLite format 3\0', 'a database of SQLite'],
  ['7z\xbc\xaf\x27\x1c', 'a 7z file'],
  ['\x89HDF\r\n', 'an HDF5 file'],
];

/** A declaration, or an element that another one follows: `<TICKER>,<DATE>` begins a delimited file. */
const markup = /^\s*<(?:\?xml\b|!doctype\b|html\b|[A-Za-z][^<>]*>(?:[^\S\r\n]*[\r\n]\s*|)<)/i;

/**
 * Refuses what is no delimited text by how it begins, so that nobody has to make sense of an error in each of its lines.
 *
 * @throws LogfileRefused
 */
export function refuseUndelimited(bytes: Uint8Array, start: number, end: number): void {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset + start, Math.min(end - start, sniffedBytes)).toString(
    'latin1',
  );
  const found = signatures.find(([signature]) => head.startsWith(signature));
  const kind = found?.[1] ?? (markup.test(head) ? 'an XML or HTML document' : undefined);
  if (kind === undefined) return;
  const message = `The file is ${kind}, not delimited text. Export it as CSV or text and send that.`;
  throw new LogfileRefused('not_delimited_text', message);
}
