/**
 * A URL's own `options=-c …` would take the place of ours, and with them of the role: it is taken out
 * of the URL and put before them.
 */
export function withoutOptions(text: string): { readonly url: string; readonly given: string } {
  const url = URL.parse(text);
  const given = url?.searchParams.get('options') ?? '';
  if (url === null || given === '') return { url: text, given };
  url.searchParams.delete('options');
  return { url: url.toString(), given: `${given} ` };
}
