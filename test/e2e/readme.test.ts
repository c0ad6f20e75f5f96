import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCheckout, root } from '../harness/checkout.js';
import { outputsOf, scriptOf, shellBlocks } from '../harness/shell-blocks.js';

/** The reading of the README, once it has come back. */
const readBack = '"timestamps":["2026-01-31T12:00:00.000Z"],"values":[1.532]';

/** A block without the call of the tests that this is one of; one that reads back is repeated until it does. */
function adapted(block: string): string {
  const adapted = block.replace(/^\.\/dev test\b.*$/m, '');
  return adapted.includes('/observations?')
    ? `readBack() {\n${adapted}\n}\nuntil answer=$(readBack) && [[ $answer == *'${readBack}'* ]]; do :; done; echo "$answer"\n`
    : adapted;
}

test('every command of the README works as written, in its order', async () => {
  await using checkout = await openCheckout();
  const blocks = shellBlocks(await readFile(join(root, 'README.md'), 'utf8')).map(adapted);
  const { code, stdout, stderr } = await checkout.run(scriptOf(blocks));
  expect(code, stderr).toBe(0);
  const outputs = outputsOf(stdout);
  expect(outputs).toHaveLength(blocks.length);
  const outputOf = (part: string): string => outputs[blocks.findIndex((block) => block.includes(part))] ?? '';

  expect(outputOf('./dev up')).toContain('Weir is ready at http://127.0.0.1:');
  const posted = JSON.parse(outputOf('/v1/ingest" \\'));
  expect(posted).toMatchObject({ data: { replayed: false, runs: [{ state: 'queued' }] } });
  expect(JSON.parse(outputOf('/observations?'))).toMatchObject({ data: { items: [{ unit: 'm' }], next_cursor: null } });
  expect(JSON.parse(outputOf('/runs/'))).toMatchObject({
    data: { kind: 'ingestion', run_id: posted.data.runs[0].run_id, state: 'succeeded' },
  });
  expect(JSON.parse(outputOf('"$WEIR_URL/dev-api/v1/openai.json"'))).toMatchObject({
    openapi: expect.stringMatching(/^3\.1/),
  });
  expect(outputOf('weir status')).toMatch(/serving[\s\S]*Demo/);
});
