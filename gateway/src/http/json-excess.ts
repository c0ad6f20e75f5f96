/** Deepest nesting of arrays and objects that a body may have. */
export const jsonDepthMax = 32;

/** Smaller bodies cost little, whatever is in them: what a schema checks costs several times what points do. */
export const jsonWeighedBytes = { schema: 64 * 1024, points: 256 * 1024 } as const;
/** A request of as many points and variables as may be has some 260,000 arrays and objects, and 770,000 values. */
const containersMax = 300_000;
const valuesMax = 1_000_000;
/** Objects of more members cost several times what others do; none of the API has as many. */
const membersMax = 1000;

/** What is wrong with a body, as a fault tells it. */
export interface JsonExcess {
  readonly code: 'too_deep' | 'too_complex';
  readonly message: string;
}

function tooMany(what: string, max: number): JsonExcess {
  return { code: 'too_complex', message: `The body has more than ${max} ${what}; send less at a time.` };
}

/** The nesting that a body may have, as a fault tells it. */
export const tooDeep: JsonExcess = {
  code: 'too_deep',
  message: `Arrays and objects may be nested ${jsonDepthMax} deep.`,
};

/**
 * Weighs a body before it is parsed: parsing millions of tiny values stops the gateway for seconds, and
 * counting brackets and commas of as many takes milliseconds. What is no JSON is left to the parser.
 *
 * @returns what the body has too much of, or undefined
 */
export function jsonExcess(bytes: Uint8Array): JsonExcess | undefined {
  const commas = new Uint32Array(jsonDepthMax + 1);
  const isObject = new Uint8Array(jsonDepthMax + 1);
  let depth = 0;
  let containers = 0;
  let values = 0;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at] as number) {
      case 0x22: // a string, to its end
        while (++at < bytes.length && bytes[at] !== 0x22) if (bytes[at] === 0x5c) at++;
        break;
      case 0x5b:
      case 0x7b:
        if (++depth > jsonDepthMax) return tooDeep;
        if (++containers > containersMax) return tooMany('arrays and objects', containersMax);
        commas[depth] = 0;
        isObject[depth] = bytes[at] === 0x7b ? 1 : 0;
        break;
      case 0x5d:
      case 0x7d:
        if (--depth < 0) return undefined;
        break;
      case 0x2c: {
        if (++values > valuesMax) return tooMany('values', valuesMax);
        const count = (commas[depth] ?? 0) + 1;
        commas[depth] = count;
        if (count >= membersMax && isObject[depth] === 1) return tooMany('members in one object', membersMax);
      }
    }
  }
  return undefined;
}
