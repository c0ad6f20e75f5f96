/**
 * Splits items into messages, in their order: as many a message as stay within `bytesMax`, and a
 * larger one alone.
 */
export function splitMessages<T>(items: readonly T[], bytesOf: (item: T) => number, bytesMax: number): T[][] {
  const messages: T[][] = [];
  let bytes = 0;
  for (const item of items) {
    const own = bytesOf(item);
    const last = messages.at(-1);
    if (last === undefined || bytes + own > bytesMax) {
      messages.push([item]);
      bytes = own;
    } else {
      last.push(item);
      bytes += own;
    }
  }
  return messages;
}
