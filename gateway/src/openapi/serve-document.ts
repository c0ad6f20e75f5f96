import type { GatewayConfig } from '../config.js';
import type { Operation, RawAnswer } from '../http/operation.js';
import { buildDocument } from './document.js';
import { limitsOf } from './limits.js';
import { pageHeaders, renderPage } from './page/page.js';
import { servedText } from './served-text.js';

/** Makes the document of a deployment and its page, once. */
export function serveDocument(
  operations: readonly Operation[],
  config: GatewayConfig,
): { readonly document: RawAnswer; readonly page: RawAnswer } {
  const document = buildDocument(operations, { publicUrl: config.publicUrl, limits: limitsOf(config) });
  return {
    document: servedText('application/json', JSON.stringify(document)),
    page: servedText('text/html; charset=utf-8', renderPage(document), pageHeaders),
  };
}
