/**
 * What an answer could see. As text `<snapshot> <microseconds since 1970>`, which the gateway seals; the
 * snapshot is in PostgreSQL's form `xmin:xmax:xip,…`.
 */
export interface ChangeMark {
  readonly snapshot: string;
  readonly atUs: number;
}

/** A mark as text. */
export function formatMark({ snapshot, atUs }: ChangeMark): string {
  return `${snapshot} ${atUs}`;
}

/** Reads what `formatMark` wrote; undefined when the text is no mark. */
export function parseMark(text: string): ChangeMark | undefined {
  const [, snapshot, atUs] = /^([1-9][0-9]*:[1-9][0-9]*:[0-9,]*) (-?[0-9]{1,16})$/.exec(text) ?? [];
  return snapshot === undefined ? undefined : { snapshot, atUs: Number(atUs) };
}
