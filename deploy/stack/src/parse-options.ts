import { parseArgs } from 'node:util';

/** Reads the named flags of a command that takes nothing else; anything unknown is a usage error. */
export function parseOptions<const N extends string>(
  args: readonly string[],
  names: Readonly<Record<N, true>>,
): Readonly<Record<N, boolean>> {
  const keys = Object.keys(names) as N[];
  const options = Object.fromEntries(keys.map((name) => [name, { type: 'boolean' as const, default: false }]));
  const { values } = parseArgs({ args: [...args], options, allowPositionals: false });
  return values as Record<N, boolean>;
}
