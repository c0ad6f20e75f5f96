import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { fakeGateway, read } from './fake-gateway.js';
import { startedAccess } from './started-access.js';
import { startedIngestion } from './started-ingestion.js';
import { startedVariables } from './started-variables.js';
import { root } from './weir.js';

/** Runs a script with `weir` on its PATH; a command that fails ends it. */
async function shell(script: string, env: Readonly<Record<string, string>>) {
  const directory = await mkdtemp(join(tmpdir(), 'weir-bin-'));
  try {
    const bin = join(directory, 'weir');
    await writeFile(bin, `#!/bin/sh\nexec '${process.execPath}' '${root}/cli/dist/main.js' "$@"\n`);
    await chmod(bin, 0o755);
    const path = `${directory}:${process.env['PATH'] ?? ''}`;
    return await new Promise<{ error: Error | null; stdout: string; stderr: string }>((done) => {
      execFile('sh', ['-eu', '-c', script], { env: { ...env, PATH: path } }, (error, stdout, stderr) =>
        done({ error, stdout, stderr }),
      );
    });
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Does what processors do with recalculations: ends them, but for those that have no end in time. */
async function endRecalculations({ client }: Awaited<ReturnType<typeof startedVariables>>, signal: AbortSignal) {
  while (!signal.aborted) {
    const { changes } = await client.listCalculationChanges({ limit: 100 });
    const reports = changes
      .filter(({ ranges }) => (ranges.at(-1)?.endUs ?? 0) < Date.UTC(2100) * 1000)
      .filter(({ runId }) => runId !== '')
      .map(({ projectId, runId }) => ({ projectId, runId, state: 'succeeded', errorCode: '', progress: undefined }));
    await client.reportRecalculations({ reports });
    await client.acknowledgeCalculationChanges({ ids: changes.map(({ id }) => id) });
    await delay(50);
  }
}

test('every example of the page does what the page says', { timeout: 300_000 }, async () => {
  const page = await readFile(join(root, 'docs/operators/cli.md'), 'utf8');
  const examples = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => match[1] ?? '');
  expect(examples.length).toBeGreaterThan(5);
  await using access = await startedAccess();
  await using ingestion = await startedIngestion();
  await using gateway = await fakeGateway();
  const files = await mkdtemp(join(tmpdir(), 'weir-files-'));
  await writeFile(join(files, 'a.dat'), 'time,level\n');
  await writeFile(join(files, 'b.dat'), 'time,level\n');
  await writeFile(`${files}.key`, 'weir_ing_test\n');
  // the third command meets a row that is none
  gateway.answers.push(read(), read(), read(), read(), read(1));
  await ingestion.admit(ingestion.newScope(), 4, [1, 3]);
  await using variables = await startedVariables();
  const { variableId } = await variables.newCalculated();
  const ended = new AbortController();
  const ending = endRecalculations(variables, ended.signal);
  const address = access.env['ACCESS_ADDRESS'] ?? '';
  const env = {
    ...access.env,
    ...ingestion.env,
    ...variables.env,
    // any service that is healthy answers a probe alike
    DASHBOARDS_ADDRESS: address,
    PARSERS_ADDRESS: address,
    OBSERVATIONS_ADDRESS: address,
    DATABASE_URL: access.databaseUrl,
    ...gateway.env,
    LOGGER_FILES: files,
    KEY_FILE: `${files}.key`,
    PARSER_ID: '019c13a6-9000-7000-8000-8fbf82e27700',
    SITE_ID: '019c13a6-9000-7000-8000-8fbf82e27711',
  };
  const { error, stdout, stderr } = await shell(examples.join('\n'), env);
  await rm(files, { recursive: true });
  await rm(`${files}.key`);
  ended.abort();
  await ending;
  expect({ error, stderr }).toEqual({ error: null, stderr: expect.not.stringContaining('weir:') });
  expect(stdout).toMatch(/^name\tEverything$/m);
  expect(stdout).toMatch(/^name\tLoggers by radio$/m);
  expect(stdout).toMatch(/^variable Stage\tfailed/m);
  // the one that is retried alone, then the other
  expect(stdout.match(/\tqueued\t.*\tingestion\t/g)).toHaveLength(2);
  expect(stdout).toMatch(new RegExp(`^state\\tsucceeded$[^]*^cause\\toperator ${variableId}$`, 'm'));
  expect(stdout).toMatch(/^error\tThe recalculation was cancelled/m);
  expect(stdout).toContain('"is_well": true');
  expect(stdout.match(/a\.dat\tsucceeded\t/g)).toHaveLength(1);
  expect(stdout).toContain('exit code 3\n');
  expect([gateway.received.length, gateway.replays]).toEqual([4, 2]);
});
