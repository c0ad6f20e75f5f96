import { expect, test } from 'vitest';
import { type ExportedSpan, startOtlpReceiver } from '../harness/otlp.js';
import { openTestStack } from '../harness/stack.js';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;

function attributesOf({ attributes = [] }: ExportedSpan): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]));
}

test.each(['false', 'true'])(
  "O2: a request's span is named by its route; trusting callers' traces: %s",
  async (trust) => {
    await using receiver = await startOtlpReceiver();
    await using stack = await openTestStack({ env: receiver.env, envOf: { gateway: { TRUST_TRACEPARENT: trust } } });
    const get = async (path: string, headers: Record<string, string> = {}) => {
      const { status, body } = await fetch(stack.gatewayUrl + path, { headers });
      await body?.cancel();
      return status;
    };
    expect(await get('/readyz')).toBe(200);
    expect(await get('/dev-api/v1/p/secret-project/runs/secret-run?q=secret-query', { traceparent })).toBe(401);
    expect(await get('/secret-path', { traceparent: '00-zz-zz-zz' })).toBe(404);
    expect(await get('/dev-api/v1/openai.json', { 'x-request-id': 'last' })).toBe(200);

    const isRequest = (span: ExportedSpan) => span.service === 'weir-gateway' && span.kind === 2;
    const isLast = (span: ExportedSpan) => attributesOf(span)['weir.request_id'] === 'last';
    const spans = (await receiver.until((all) => all.some(isLast))).filter(isRequest);
    const [refused, unknown, last, ...others] = spans;
    expect(others).toEqual([]);
    expect(spans.map((span) => span.name)).toEqual([
      'GET /dev-api/v1/p/{project_id}/runs/{run_id}',
      'GET',
      'GET /dev-api/v1/openai.json',
    ]);
    if (refused === undefined || unknown === undefined || last === undefined) throw new Error('spans are missing');
    expect(attributesOf(refused)).toMatchObject({
      'http.request.method': 'GET',
      'http.route': '/dev-api/v1/p/{project_id}/runs/{run_id}',
      'http.response.status_code': 401,
    });
    expect(JSON.stringify(spans)).not.toContain('secret');
    for (const span of spans) expect(span.status?.code ?? 0).toBe(0);
    expect([refused.traceId === traceId, refused.links?.map((link) => link.traceId) ?? []]).toEqual(
      trust === 'true' ? [true, []] : [false, [traceId]],
    );
    expect([unknown.links ?? [], unknown.parentSpanId]).toEqual([[], '']);
  },
);
