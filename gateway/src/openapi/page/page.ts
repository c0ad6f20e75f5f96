import { createHash } from 'node:crypto';
import type { ErrorCode } from '@weir/kit/errors';
import { errorCodes } from '@weir/kit/errors';
import type { OpenApiDocument } from '../model.js';
import { Html, html } from './html.js';
import { markdown } from './markdown.js';
import { operationView, type PlacedOperation } from './operation-view.js';
import { style } from './style.js';

const styleHash = createHash('sha256').update(style).digest('base64');

/** The page needs its style sheet and nothing else, and nobody may put it into a frame. */
export const pageHeaders = {
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
} as const;

function operationsOf(document: OpenApiDocument, tag: string): PlacedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags[0] === tag)
      .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
}

const tagId = (tag: string): string => `tag-${tag.toLowerCase().replaceAll(' ', '-')}`;

function navigation(document: OpenApiDocument): Html {
  return html`<nav aria-label="Contents"><strong>${document.info.title}</strong>
<ul><li><a href="#keys">Keys</a></li><li><a href="#errors">Errors</a></li><li><a href="#limits">Limits</a></li><li><a href="openai.json">openai.json</a></li></ul>
${document.tags.map(
  ({ name }) =>
    html`<h2><a class="anchor" href="#${tagId(name)}">${name}</a></h2><ul>${operationsOf(document, name).map(
      ({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`,
    )}</ul>`,
)}</nav>`;
}

function keys({ components }: OpenApiDocument): Html {
  return html`<section><h2 id="keys">Keys</h2><ul>${Object.values(components.securitySchemes).map(
    ({ description = '' }) => html`<li>${markdown(description)}</li>`,
  )}</ul></section>`;
}

function errors(): Html {
  const rows = (Object.keys(errorCodes) as ErrorCode[]).map((code) => {
    const { http, sentence } = errorCodes[code];
    return html`<tr><td class="number">${http}</td><td><code class="name">${code}</code></td><td>${sentence}</td></tr>`;
  });
  return html`<section><h2 id="errors">Errors</h2><div class="wide"><table>
<thead><tr><th>Status</th><th>Code</th><th>What happened and what to do</th></tr></thead><tbody>${rows}</tbody></table></div></section>`;
}

function limits(document: OpenApiDocument): Html {
  return html`<section><h2 id="limits">Limits</h2><p>The effective limits of this deployment.</p><div class="wide"><table>
<thead><tr><th>Limit</th><th>Value</th><th>What it bounds</th></tr></thead><tbody>${document['x-weir-limits'].map(
    ({ name, value, unit, description }) =>
      html`<tr><td><code class="name">${name}</code></td><td class="number">${value.toLocaleString('en')} ${unit}</td><td>${description}</td></tr>`,
  )}</tbody></table></div></section>`;
}

/** The document as a page for people: no script, nothing loaded from elsewhere. */
export function renderPage(document: OpenApiDocument): string {
  const { title, version, summary, description } = document.info;
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} API ${version}</title><style>${new Html(style)}</style></head>
<body><a class="skip" href="#content">To the content</a><div class="page">${navigation(document)}
<main id="content"><section><h1>${title} API</h1><p class="lead">${summary} Version ${version}.</p>${markdown(description)}</section>
${keys(document)}${errors()}${limits(document)}
${document.tags.map(
  ({ name, description: text }) =>
    html`<h2 id="${tagId(name)}">${name}</h2><p class="soft">${text}</p>${operationsOf(document, name).map((placed) =>
      operationView(placed, document),
    )}`,
)}</main></div></body></html>
`;
  return page.text;
}
