/** How the bytes of lines become text. UTF-16 is UTF-8 by the time lines are read. */
export interface TextEncoding {
  /** The text of bytes that were found valid; else with U+FFFD for what is not. */
  decode(bytes: Uint8Array, start: number, end: number): string;
  isValid(bytes: Uint8Array, start: number, end: number): boolean;
  /** Whether bytes of cells are UTF-8 as they stand. */
  readonly isUtf8: boolean;
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });

export const utf8: TextEncoding = {
  decode: (bytes, start, end) => lenient.decode(bytes.subarray(start, end)),
  isValid: (bytes, start, end) => {
    try {
      strict.decode(bytes.subarray(start, end));
      return true;
    } catch {
      return false;
    }
  },
  isUtf8: true,
};

function latin1Text(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
}

const iso88591: TextEncoding = { decode: latin1Text, isValid: () => true, isUtf8: false };

/** What windows-1252 has in place of the control characters from U+0080 on; a blank where it has nothing. */
const from80 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

const windows1252: TextEncoding = {
  decode: (bytes, start, end) =>
    latin1Text(bytes, start, end).replace(/[\x80-\x9f]/g, (control) => {
      const character = from80[control.charCodeAt(0) - 0x80];
      return character === undefined || character === ' ' ? '\ufffd' : character;
    }),
  isValid: (bytes, start, end) => {
    for (let at = start; at < end; at++) {
      const byte = bytes[at] as number;
      if (byte >= 0x80 && byte <= 0x9f && from80[byte - 0x80] === ' ') return false;
    }
    return true;
  },
  isUtf8: false,
};

/** The encoding that a configuration names. */
export function encodingOf(name: string): TextEncoding {
  if (name === 'windows-1252') return windows1252;
  return name === 'iso-8859-1' ? iso88591 : utf8;
}
