/**
 * The parts of a regular expression of RE2's dialect, as far as its size goes: quoted literals, escapes,
 * character classes (with named ones inside), repetitions by count, groups, and single characters.
 */
const part =
  /\\Q(?<literal>.*?)(?:\\E|$)|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|\{(?<min>\d+)(?:,(?<max>\d*))?\}|[()]|./gsu;

/**
 * About how many instructions a regular expression becomes: repetitions by count are written out, so a
 * short one may become a large program.
 */
export function patternSize(pattern: string): number {
  // the sizes of the groups that are open, each with the size of its last part
  const groups = [{ size: 0, last: 0 }];
  const add = (last: number): void => {
    const group = groups.at(-1);
    if (group === undefined) return;
    group.size += last;
    group.last = last;
  };
  for (const match of pattern.matchAll(part)) {
    const { literal, min, max } = match.groups ?? {};
    const group = groups.at(-1);
    if (literal !== undefined) {
      add(literal.length);
    } else if (min !== undefined && group !== undefined) {
      const times = Math.max(Number(min), Number(max ?? min), 1);
      group.size += group.last * (times - 1);
      group.last *= times;
    } else if (match[0] === '(') {
      groups.push({ size: 2, last: 0 });
    } else if (match[0] === ')' && groups.length > 1) {
      add(groups.pop()?.size ?? 0);
    } else add(1);
  }
  return groups.reduce((sum, { size }) => sum + size, 0);
}
