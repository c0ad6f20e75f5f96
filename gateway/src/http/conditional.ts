import type { IncomingMessage } from 'node:http';

/** An entity tag without its weakness mark: `If-None-Match` compares weakly (RFC 9110, 13.1.2). */
const opaque = (tag: string): string => tag.replace(/^W\//, '');

/** Whether the caller of a GET or HEAD has what the entity tag names already. */
export function isUnchanged(req: IncomingMessage, etag: string | undefined): boolean {
  const header = req.headers['if-none-match'];
  if (etag === undefined || header === undefined || (req.method !== 'GET' && req.method !== 'HEAD')) return false;
  if (header.trim() === '*') return true;
  const tags = header.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return tags.some((tag) => opaque(tag) === opaque(etag));
}
