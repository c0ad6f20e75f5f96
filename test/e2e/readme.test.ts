import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCheckout, root } from '../harness/checkout.js';

const separator = '--- block ---';
/** The reading of the README, once it has come back. */
const readBack = '"timestamps":["2026-01-31T12:00:00.000Z"],"values":[1.532]';

/** The blocks marked as `sh`, without the call of the tests that this is one of. */
function shellBlocks(markdown: string): string[] {
  const blocks = [...markdown.matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => match[1] ?? '');
  return blocks.map((block) => block.replace(/^\.\/dev test\b.*$/m, ''));
}

/** All blocks as one script in their order; the one that reads back is repeated until the reading has been processed. */
function scriptOf(blocks: readonly string[]): string {
  const parts = blocks.map((block) =>
    block.includes('/observations?')
      ? `readBack() {\n${block}\n}\nuntil answer=$(readBack) && [[ $answer == *'${readBack}'* ]]; do :; done; echo "$answer"\n`
      : block,
  );
  return ['set -euo pipefail', ...parts].join(`\necho; echo '${separator}'\n`);
}

test('every command of the README works as written, in its order', async () => {
  await using checkout = await openCheckout();
  const blocks = shellBlocks(await readFile(join(root, 'README.md'), 'utf8'));
  const { code, stdout, stderr } = await checkout.run(scriptOf(blocks));
  expect(code, stderr).toBe(0);
  const outputs = stdout.split(separator).slice(1);
  expect(outputs).toHaveLength(blocks.length);
  const outputOf = (part: string): string => outputs[blocks.findIndex((block) => block.includes(part))] ?? '';

  expect(outputOf('./dev up')).toContain('Weir is ready at http://127.0.0.1:');
  expect(JSON.parse(outputOf('/v1/ingest" \\'))).toMatchObject({
    data: { replayed: false, runs: [{ state: 'queued' }] },
  });
  expect(JSON.parse(outputOf('/observations?'))).toMatchObject({ data: { items: [{ unit: 'm' }], next_cursor: null } });
  expect(JSON.parse(outputOf('/runs?'))).toMatchObject({ data: { items: [{ kind: 'ingestion' }] } });
  expect(JSON.parse(outputOf('"$WEIR_URL/dev-api/v1/openai.json"'))).toMatchObject({
    openapi: expect.stringMatching(/^3\.1/),
  });
  expect(outputOf('weir status')).toMatch(/serving[\s\S]*Demo/);
});
