import type { MediaTypeObject, OpenApiDocument, OperationObject, ResponseObject } from '../model.js';
import { type Html, html } from './html.js';
import { markdown } from './markdown.js';
import { boundsOf, schemaView, typeOf } from './schema-view.js';

/** An operation with where it stands. */
export interface PlacedOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: OperationObject;
}

type Schemas = OpenApiDocument['components']['schemas'];

const reasons: Readonly<Record<string, string>> = {
  200: 'OK',
  201: 'Created',
  304: 'Not Modified',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** JSON, or a text as it is. */
const shown = (value: unknown): Html =>
  html`<pre tabindex="0"><code>${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</code></pre>`;

function parametersView({ parameters }: OperationObject, schemas: Schemas): Html | undefined {
  if (parameters.length === 0) return undefined;
  return html`<h4>Parameters</h4>
<div class="wide"><table><thead><tr><th>Name</th><th>In</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${parameters.map(
    ({ name, in: place, required, schema, description, example }) => html`<tr>
<td><code class="name">${name}</code>${required ? html` <span class="required">required</span>` : undefined}</td>
<td>${place}</td>
<td><span class="type">${typeOf(schema, schemas)}</span>${boundsOf(schema, schemas).map((bound) => html` <span class="bound">${bound}</span>`)}</td>
<td>${markdown(description)}${example === undefined ? undefined : html`<p>Example: <code>${Array.isArray(example) ? example.join(',') : String(example)}</code></p>`}</td></tr>`,
  )}</tbody></table></div>`;
}

function contentView(content: Readonly<Record<string, MediaTypeObject>>, schemas: Schemas): Html {
  return html`${Object.entries(content).map(
    ([mediaType, { schema, example }]) => html`<p class="media">${mediaType}</p>
<details><summary>Members</summary>${schemaView(schema, schemas)}</details>${
      example === undefined ? undefined : html`<details open><summary>Example</summary>${shown(example)}</details>`
    }`,
  )}`;
}

function responseView(status: string, response: ResponseObject, schemas: Schemas): Html {
  const isError = Number(status) >= 400;
  const headers = Object.keys(response.headers);
  return html`<section class="response"><h5><span class="status s${status.charAt(0)}">${status}</span> ${reasons[status]}</h5>
${markdown(response.description)}<p class="headers">Headers: ${headers.map((name, i) => html`${i > 0 ? ', ' : ''}<code>${name}</code>`)}</p>${
    isError || response.content === undefined ? undefined : contentView(response.content, schemas)
  }</section>`;
}

/** An example as a query has it; the commas of a list stay readable. */
const queryValue = (example: unknown): string =>
  (Array.isArray(example) ? example : [example ?? '…']).map((one) => encodeURIComponent(String(one))).join(',');

/** What is put after `curl` to call an operation with its examples. */
function curlOf({ path, method, operation }: PlacedOperation, server: string): string {
  const target = path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) =>
    name === 'project_id' ? '$WEIR_PROJECT_ID' : `$${name.toUpperCase()}`,
  );
  const { 'x-weir-example-query': beside = [], parameters } = operation;
  const query = parameters
    .filter(({ in: place, required, name }) => place === 'query' && (required || beside.includes(name)))
    .map(({ name, example }) => `${name}=${queryValue(example)}`)
    .join('&');
  const lines = [
    `curl "${server === '/' ? '$WEIR_URL' : server.replace(/\/$/, '')}${target}${query === '' ? '' : `?${query}`}"`,
  ];
  if (method !== 'GET') lines.push(`--request ${method}`);
  if (operation.security.some((scheme) => 'developerApiKey' in scheme))
    lines.push('--header "Authorization: Bearer $WEIR_API_KEY"');
  if (operation.security.some((scheme) => 'ingestApiKey' in scheme))
    lines.push('--header "X-API-Key: $WEIR_INGEST_KEY"');
  const [[mediaType, { example: body }] = ['', { example: undefined }]] = Object.entries(
    operation.requestBody?.content ?? {},
  );
  if (mediaType !== '' && mediaType !== 'application/json')
    lines.push(`--header 'Content-Type: ${mediaType}'`, '--data-binary @file');
  else if (body !== undefined)
    lines.push(
      "--header 'Content-Type: application/json'",
      `--data '${JSON.stringify(body).replaceAll("'", "'\\''")}'`,
    );
  return lines.join(' \\\n  ');
}

const keyOf = ({ security }: OperationObject): string =>
  security.length === 0
    ? 'No key is needed.'
    : security.some((scheme) => 'developerApiKey' in scheme)
      ? 'Needs a Developer API key.'
      : 'Needs the key of an ingestion connection.';

/** Shows one operation. */
export function operationView(placed: PlacedOperation, document: OpenApiDocument): Html {
  const { path, method, operation } = placed;
  const { schemas } = document.components;
  const permission = operation['x-weir-permission'];
  return html`<article id="${operation.operationId}">
<h3><a class="anchor" href="#${operation.operationId}">${operation.summary}</a></h3>
<p class="route"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></p>
${operation.description === undefined ? undefined : markdown(operation.description)}
<p class="key">${keyOf(operation)}${permission === undefined ? undefined : html` Permission: <code>${permission}</code>.`}</p>
<pre tabindex="0"><code>${curlOf(placed, document.servers[0]?.url ?? '/')}</code></pre>
${parametersView(operation, schemas)}
${
  operation.requestBody === undefined
    ? undefined
    : html`<h4>Body</h4>${markdown(operation.requestBody.description)}${contentView(operation.requestBody.content, schemas)}`
}
<h4>Answers</h4>
${Object.entries(operation.responses)
  .filter(([status]) => Number(status) < 400)
  .map(([status, response]) => responseView(status, response, schemas))}
<details class="errors"><summary>Errors: ${Object.keys(operation.responses)
    .filter((status) => Number(status) >= 400)
    .join(', ')}</summary>${Object.entries(operation.responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([status, response]) => responseView(status, response, schemas))}</details>
</article>`;
}
