import type { ParserConfiguration } from '@weir/parser-configuration';
import canonicalize from 'canonicalize';

/** A configuration as RFC 8785 canonical JSON: two that mean the same have the same text. */
export function toCanonicalJson(configuration: ParserConfiguration): string {
  const text = canonicalize(configuration);
  if (text === undefined) throw new Error('a configuration is always JSON');
  return text;
}
