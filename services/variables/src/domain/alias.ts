import { reservedWords } from '@weir/expression';
import type { Faults } from '@weir/kit/faults';

/** An alias is an identifier of expressions. */
const identifier = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

const aliasCharactersMax = 64;

/** What is wrong with an alias that was asked for, for a person; undefined when nothing is. */
export function aliasFault(alias: string): string | undefined {
  if (!identifier.test(alias)) {
    return 'Give 1 to 64 letters, digits and underscores of ASCII, the first no digit.';
  }
  return reservedWords.has(alias) ? `${alias} is a word of expressions; choose another.` : undefined;
}

/** An alias that was asked for; a fault when it cannot be one. */
export function parseAlias(alias: string, faults: Faults): string {
  const fault = aliasFault(alias);
  if (fault !== undefined) faults.add('/alias', 'invalid_alias', fault);
  return alias;
}

function aliasOf(name: string): string {
  const word = name.replace(/[^A-Za-z0-9_]+/g, '_');
  if (word === '' || reservedWords.has(word)) return 'v';
  return (/^[0-9]/.test(word) ? `v_${word}` : word).slice(0, aliasCharactersMax);
}

/**
 * Derives aliases from names, each one different from those `taken` and from each other: runs of
 * other characters become `_`, a leading digit gets `v_`, an empty or reserved word becomes `v`, a
 * taken one gets `_2`, `_3`, …
 */
export function aliasDeriver(taken: Iterable<string>): (name: string) => string {
  const used = new Set(taken);
  // where the search for a free suffix of a word goes on, so that a thousand alike names stay linear
  const next = new Map<string, number>();
  return (name) => {
    const word = aliasOf(name);
    let alias = word;
    for (let n = next.get(word) ?? 2; used.has(alias); n++) {
      const suffix = `_${n}`;
      alias = word.slice(0, aliasCharactersMax - suffix.length) + suffix;
      next.set(word, n + 1);
    }
    used.add(alias);
    return alias;
  };
}
