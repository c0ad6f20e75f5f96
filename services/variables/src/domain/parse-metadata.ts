import { type Faults, pointerStep } from '@weir/kit/faults';
import { freeTextCharactersMax, nameCharactersMax, normalizeFreeText } from '@weir/kit/text';

/** Texts by a client's own keys. */
export type Metadata = Readonly<Record<string, string>>;

const membersMax = 64;

function isKey(key: string): boolean {
  // a code point is one or two UTF-16 units
  return (
    key !== '' &&
    key.length <= nameCharactersMax * 2 &&
    [...key].length <= nameCharactersMax &&
    normalizeFreeText(key) !== undefined
  );
}

/** Metadata of at most 64 texts; keys have 1 to 256 characters. */
export function parseMetadata(metadata: Metadata, path: string, faults: Faults): Metadata {
  const members = Object.entries(metadata);
  if (members.length > membersMax) {
    faults.add(path, 'too_many_members', `Give at most ${membersMax} members, not ${members.length}.`);
    return metadata;
  }
  for (const [key, value] of members) {
    if (!isKey(key)) {
      faults.add(path, 'invalid_key', `Give each member a key of 1 to ${nameCharactersMax} characters without NUL.`);
    } else if (normalizeFreeText(value) === undefined) {
      const message = `Give at most ${freeTextCharactersMax} characters, none of them NUL.`;
      faults.add(`${path}${pointerStep(key)}`, 'invalid_text', message);
    }
  }
  return metadata;
}
