import { createConfig, lintFromString } from '@redocly/openapi-core';
import { allPermissions } from '@weir/kit/permissions';
import { describe, expect, test } from 'vitest';
import { shippedConfig } from '../../test/shipped-config.js';
import { Cursors } from '../cursors/cursors.js';
import { type Dependencies, declareOperations } from '../declare-operations.js';
import { type OperationRequest, RawAnswer } from '../http/operation.js';
import { compileRoutes } from '../http/routes.js';
import type { OpenApiDocument, OperationObject } from './model.js';

const config = shippedConfig({ INGEST_POINTS_MAX: '77', LIMIT_DEVELOPER_REQUESTS_PER_SECOND: '123' });
// no handler but those of the metadata is called
const dependencies = { cursors: new Cursors([Buffer.alloc(32)]) } as unknown as Dependencies;
const operations = declareOperations(dependencies, config);

async function served(id: string): Promise<RawAnswer> {
  const operation = operations.find((each) => each.id === id);
  const answer = await operation?.handle({} as unknown as OperationRequest<never, never, never, never>);
  if (!(answer instanceof RawAnswer)) throw new Error(`${id} answers no text`);
  return answer;
}

const source = (await served('developerapi_openapi')).body.toString();
const document = JSON.parse(source) as OpenApiDocument;
const all = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);
const statusesOf = ({ responses }: OperationObject) => Object.keys(responses).map(Number);
const find = (id: string) => all.find(({ operation }) => operation.operationId === id)?.operation as OperationObject;

describe('the document', () => {
  test('is valid, and the validator would tell', { timeout: 60_000 }, async () => {
    const lint = async (text: string) =>
      await lintFromString({
        source: text,
        absoluteRef: 'openai.json',
        config: await createConfig({ extends: ['recommended'] }),
      });
    expect(await lint(source)).toEqual([]);
    expect(await lint(source.replace('"operationId"', '"operationID"'))).not.toEqual([]);
  });

  test('has every operation once, with an example that its schema accepts', () => {
    expect(all).toHaveLength(operations.length);
    for (const { id, success, body } of operations) {
      expect(success.schema.safeParse(success.example), id).toMatchObject({ success: true });
      if (body !== undefined) expect(body.schema.safeParse(body.example), id).toMatchObject({ success: true });
    }
  });

  test('has an operation for every permission', () => {
    const used = new Set(all.flatMap(({ operation }) => operation['x-weir-permission'] ?? []));
    expect([...used].sort()).toEqual([...allPermissions].sort());
  });

  test('states the effective limits', () => {
    const limits = new Map(document['x-weir-limits'].map(({ name, value }) => [name, value]));
    expect(limits.get('ingest_points')).toBe(77);
    expect(limits.get('developer_requests_per_second')).toBe(123);
    expect(source).toContain('"maxItems":77');
    expect(document.info.version).toBe('1.0.0');
  });

  test('lists the same statuses for each read of the Developer API', () => {
    expect(statusesOf(find('ingest_points'))).toEqual([200, 400, 401, 403, 413, 415, 429, 500, 503]);
    expect(statusesOf(find('developerapi_openapi'))).toEqual([200, 304, 400, 405, 413, 429]);
    const authenticated = [200, 400, 401, 403, 404, 405, 409, 413, 429, 500, 503];
    for (const { path, method, operation } of all) {
      if (path.startsWith('/dev-api/') && method === 'get' && operation.security.length > 0)
        expect(statusesOf(operation), operation.operationId).toEqual(authenticated);
    }
  });

  test('says X-Request-ID of every answer, and what else a status carries', () => {
    for (const { operation } of all) {
      for (const [status, { headers }] of Object.entries(operation.responses)) {
        const names = Object.keys(headers);
        expect(names).toContain('X-Request-ID');
        if (status === '401') expect(names).toContain('WWW-Authenticate');
        if (status === '405') expect(names).toContain('Allow');
        if (status === '429' || status === '503') expect(names).toContain('Retry-After');
      }
    }
  });
});

const texts = { '&amp;': '&', '&quot;': '"', '&#39;': "'", '&lt;': '<', '&gt;': '>' } as const;
const page = (await served('developerapi_docs')).body.toString();
const articleOf = (id: string) => page.split(`<article id="${id}">`)[1]?.split('</article>')[0] ?? '';
const targetOf = (id: string) => {
  const text = articleOf(id).replaceAll(/&[a-z0-9#]+;/g, (entity) => texts[entity as keyof typeof texts]);
  return /curl "([^"]*)"/.exec(text)?.[1]?.replace('$WEIR_URL', 'http://weir') ?? '';
};

describe('the examples of requests on the page', () => {
  test('are URLs whose query is one that the operation takes', () => {
    for (const { id, query, queryRules = [] } of operations) {
      const target = targetOf(id);
      expect(target, id).toMatch(/^http:\/\/[!-~]+$/);
      const given = new URL(target).searchParams;
      const values = Object.entries(query).map(([name, parameter]) => {
        const text = given.get(name);
        if (text === null) return [name, parameter.required ? expect.unreachable(`${id}: ${name}`) : parameter.absent];
        const read = parameter.parse(text);
        expect(read, `${id}: ${name}`).toHaveProperty('value');
        return [name, 'value' in read ? read.value : undefined];
      });
      const faults = queryRules.map((rule) => rule.faultOf(Object.fromEntries(values)));
      expect(
        faults.filter((fault) => fault !== undefined),
        id,
      ).toEqual([]);
    }
  });

  test('name one of the parameters one of which is needed, and encode what a query cannot have', () => {
    expect(targetOf('developerapi_observations_latest')).toMatch(/latest\?variable_id=[0-9a-f-]{36}$/);
    expect(targetOf('ingest_file')).toMatch(/&file_name=Station%201\.dat$/);
  });
});

test('the page has the alternatives of values, and no pattern that nobody reads', () => {
  expect(page).not.toContain('>any<');
  expect(page).not.toContain('matching ^[\\t');
  expect(articleOf('developerapi_observations_read')).toContain('each one of &quot;mean&quot;, &quot;min&quot;');
  expect(articleOf('developerapi_observations_read')).toContain(
    '<summary>Buckets, with <code>interval</code></summary>',
  );
  expect(articleOf('developerapi_dashboards_create')).toContain('<summary>type: &quot;gauge&quot;</summary>');
});

test('the declarations are ready to be routed', () => {
  expect(() => compileRoutes(operations, 1000)).not.toThrow();
});

test('the page needs no script and nothing from elsewhere, and leads to every operation', async () => {
  const { headers } = await served('developerapi_docs');
  expect(page).not.toMatch(/<script|<link|<img|\son[a-z]+=|style="|src=|@import|url\(/);
  for (const { operation } of all) {
    expect(page.split(`id="${operation.operationId}"`)).toHaveLength(2);
    expect(page).toContain(`href="#${operation.operationId}"`);
  }
  for (const [, target = ''] of page.matchAll(/href="#([^"]+)"/g)) expect(page).toContain(`id="${target}"`);
  const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? '';
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style));
  expect(headers['Content-Security-Policy']).toContain(`style-src 'sha256-${Buffer.from(digest).toString('base64')}'`);
  expect(headers['Content-Security-Policy']).toContain("default-src 'none'");
});
