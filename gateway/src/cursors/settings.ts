import { base64Key, type Grammar } from '@weir/kit/config';

/** Bytes of a key that seals cursors. */
const keyBytes = 32;

const key = base64Key(keyBytes);

const keyRing: Grammar<readonly Buffer[]> = {
  accepts: `one or more keys, each base64 of ${keyBytes} bytes, separated by commas`,
  parse: (text) => {
    const keys = text.split(',').map((item) => key.parse(item.trim()));
    return keys.every((each) => each !== undefined) ? keys : undefined;
  },
};

/** Settings of the gateway's cursors. */
export const cursorSettings = {
  cursorKeys: {
    env: 'CURSOR_KEYS',
    doc: 'Keys of the cursors that lists answer, the same for all gateways: the first seals, all of them open. To change the key, put a new one in front and drop the old one when its cursors are forgotten.',
    grammar: keyRing,
    secret: true,
  },
} as const;
