import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findMigrations, migrate } from '@weir/kit/migrations';
import { openPool } from '@weir/kit/sql';
import { type DatabaseUrls, databaseRoles, startStack } from '@weir/stack';
import { expect, test } from 'vitest';
import { root } from '../harness/checkout.js';
import { startPrivateServers } from '../harness/private-servers.js';
import { sqlBlocks } from '../harness/shell-blocks.js';
import { createTenant } from '../harness/tenant.js';

const password = 'forTestsOnly';

test('S7: the logins that the page has a superuser make are enough: one migrates, and each process runs by its own', async () => {
  await using servers = await startPrivateServers({ migrates: false });
  const urlOf = (login: string): string => {
    const url = new URL(servers.databaseUrl);
    url.username = login;
    url.password = password;
    return url.href;
  };
  const page = await readFile(join(root, 'docs/operators/install.md'), 'utf8');
  const text = sqlBlocks(page)
    .join('\n')
    .replaceAll("'…'", `'${password}'`)
    // the database is there
    .replace(/^create database weir owner (\w+);$/m, 'alter database weir owner to $1;');
  expect(text).toContain('alter database weir owner');
  await using admin = openPool({ url: servers.databaseUrl, max: 1 });
  await admin.query({ text, values: [] });
  await migrate(urlOf('weir_owner'), await findMigrations(root));

  const databaseUrls = Object.fromEntries(
    Object.keys(databaseRoles).map((name) => [name, urlOf(`weir_${name}_login`)]),
  ) as unknown as DatabaseUrls;
  await using stack = await startStack({ servers, databaseUrls });
  const tenant = await createTenant(stack.addresses.access);
  const keys = {
    WEIR_URL: stack.gatewayUrl,
    WEIR_PROJECT_ID: tenant.projectId,
    WEIR_API_KEY: tenant.developerKey,
    WEIR_INGEST_KEY: tenant.ingestionKey,
  };
  await promisify(execFile)(process.execPath, [join(root, 'deploy/image/smoke-test.mjs')], { env: keys });
});
