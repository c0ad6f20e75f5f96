import { nameCharactersMax, normalizeName } from '@weir/kit/text';

/** Longest `site_id`, in characters. */
export const siteIdCharactersMax = 128;

/** Printable ASCII without blanks at its ends: what nearly every name is, and what no rule changes. */
const plainName = /^[!-~](?:[ -~]{0,254}[!-~])?$/;

/** A name as it is compared and stored, or undefined when it cannot be one. */
export function readName(text: string): string | undefined {
  return plainName.test(text) ? text : normalizeName(text);
}

/** What a name must be, for a person. */
export const nameRule = `Give a text of 1 to ${nameCharactersMax} characters without control characters.`;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * A site id as points carry it: any legal text, a UUID in lower case. Whether there is such a site
 * is for the run to tell.
 */
export function readSiteId(text: string): string | undefined {
  if (uuid.test(text)) return text.toLowerCase();
  const isLegal = text.isWellFormed() && /\S/.test(text) && !text.includes('\0');
  return isLegal && text.length <= siteIdCharactersMax * 2 && [...text].length <= siteIdCharactersMax
    ? text
    : undefined;
}

/** What a site id must be, for a person. */
export const siteIdRule = `Give the id of a site, 1 to ${siteIdCharactersMax} characters, or leave it out.`;
