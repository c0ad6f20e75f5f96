import type { ByteStore } from './byte-store.js';
import { encodingOf, type TextEncoding, utf8 } from './text-encoding.js';
import { Utf16Transcoder } from './utf16.js';

/** As many bytes as a byte order mark may have. */
const markBytes = 3;

/**
 * Brings the bytes of a file into a form whose line ends, delimiters and digits are those of ASCII: UTF-16
 * becomes UTF-8. A byte order mark is stronger than the encoding that is configured.
 */
export class ByteDecoder {
  /** How cells become text; known once the first bytes are. */
  encoding: TextEncoding | undefined;
  readonly #configured: string;
  #head: Uint8Array = new Uint8Array();
  #transcoder: Utf16Transcoder | undefined;

  constructor(configured: string) {
    this.#configured = configured;
  }

  push(chunk: Uint8Array, store: ByteStore): void {
    if (this.encoding !== undefined) return store.push(this.#transcoder?.write(chunk) ?? chunk);
    this.#head = Buffer.concat([this.#head, chunk]);
    if (this.#head.length >= markBytes) this.#begin(store);
  }

  end(store: ByteStore): void {
    if (this.encoding === undefined) this.#begin(store);
    if (this.#transcoder !== undefined) store.push(this.#transcoder.end());
  }

  #begin(store: ByteStore): void {
    const head = this.#head;
    const [first, second, third] = head;
    const marked =
      first === 0xef && second === 0xbb && third === 0xbf
        ? 'utf-8'
        : first === 0xff && second === 0xfe
          ? 'utf-16le'
          : first === 0xfe && second === 0xff
            ? 'utf-16be'
            : undefined;
    const name = marked ?? this.#configured;
    const isUtf16 = name.startsWith('utf-16');
    if (isUtf16) this.#transcoder = new Utf16Transcoder(name === 'utf-16be');
    this.encoding = isUtf16 ? utf8 : encodingOf(name);
    this.#head = new Uint8Array();
    this.push(head.subarray(marked === undefined ? 0 : marked === 'utf-8' ? 3 : 2), store);
  }
}
