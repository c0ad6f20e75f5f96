import type { StreamedType } from './operation.js';

interface Range {
  readonly type: string;
  readonly quality: number;
}

/** The elements of an `Accept` or `Accept-Encoding` header; what is none is left out. */
function rangesOf(header: string): Range[] {
  return header.split(',').flatMap((element) => {
    const [type = '', ...parameters] = element.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, '') ?? '1';
    if (type === '' || !/^(0(\.[0-9]{0,3})?|1(\.0{0,3})?)$/.test(weight)) return [];
    return [{ type, quality: Number(weight) }];
  });
}

/** How much a client wants one type, and whether it names it. */
function wish(ranges: readonly Range[], names: readonly string[]): { quality: number; isNamed: boolean } {
  const named = ranges.find(({ type }) => names.includes(type));
  const group = names.map((name) => `${name.split('/')[0]}/*`);
  const best = named ?? ranges.find(({ type }) => group.includes(type)) ?? ranges.find(({ type }) => type === '*/*');
  return { quality: best?.quality ?? 0, isNamed: named !== undefined };
}

/**
 * The media type that a client wants most: of equal ones that which it names, then the first. One that
 * names none of them gets the first: a file of another form is of more use than a refusal (RFC 9110, 15.5.7 allows it).
 */
export function negotiateType(accept: string | undefined, types: readonly [StreamedType, ...StreamedType[]]): string {
  const ranges = rangesOf(accept ?? '*/*');
  let best = { type: types[0].type, quality: 0, isNamed: false };
  for (const { type, aliases = [] } of types) {
    const { quality, isNamed } = wish(ranges, [type.split(';')[0] ?? '', ...aliases]);
    if (quality > best.quality || (quality === best.quality && quality > 0 && isNamed && !best.isNamed))
      best = { type, quality, isNamed };
  }
  return best.type;
}

/** Whether a client says that it takes gzip. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  const ranges = rangesOf(acceptEncoding ?? '');
  const gzip =
    ranges.find(({ type }) => type === 'gzip' || type === 'x-gzip') ?? ranges.find(({ type }) => type === '*');
  return gzip !== undefined && gzip.quality > 0;
}
