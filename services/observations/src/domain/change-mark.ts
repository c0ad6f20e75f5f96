/**
 * What an answer could see: every transaction with a smaller number has ended, and is in it if it committed.
 * As text `<xid> <microseconds since 1970>`, which the gateway seals.
 */
export interface ChangeMark {
  readonly xid: number;
  readonly atUs: number;
}

/** A mark as text. */
export function formatMark({ xid, atUs }: ChangeMark): string {
  return `${xid} ${atUs}`;
}

/** Reads what `formatMark` wrote; undefined when the text is no mark. */
export function parseMark(text: string): ChangeMark | undefined {
  const [, xid, atUs] = /^([0-9]{1,15}) (-?[0-9]{1,16})$/.exec(text) ?? [];
  return xid === undefined ? undefined : { xid: Number(xid), atUs: Number(atUs) };
}
