import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { shippedConfig } from '../../test/shipped-config.js';
import { settings } from '../config.js';
import { limitsOf } from './limits.js';

const shipped = shippedConfig();
/** What a client may meet: of sizes, numbers, rates and times. */
const bounds = Object.values(settings).filter(({ env }) =>
  /^LIMIT_|_BYTES_MAX$|_TIMEOUT_MS$|^(FILES|INGEST_POINTS|QUERY_OBSERVATIONS|WIDGETS_PER_DASHBOARD)_MAX$/.test(env),
);

test.each(bounds.map(({ env }) => env))('S20: %s stands in the document, once', (env) => {
  const setting = bounds.find((each) => each.env === env) as { default?: string };
  const value = Number(setting.default) - 1;
  const before = limitsOf(shipped);
  const changed = limitsOf(shippedConfig({ [env]: String(value) })).filter(
    (limit, at) => limit.value !== before[at]?.value,
  );
  expect(changed.map((limit) => limit.value)).toEqual([value]);
});

test('S20: proxies are to let through no less than the gateway does', async () => {
  const text = await readFile(new URL('../../../docs/operators/install.md', import.meta.url), 'utf8');
  const { fileBytesMax, headerBytesMax, exportTimeoutMs, keepAliveTimeoutMs } = shipped;
  const numberIn = (pattern: RegExp): number => Number(pattern.exec(text)?.[1]);
  expect(numberIn(/proxy-body-size: ([0-9]+)m/) * 1024 ** 2).toBeGreaterThanOrEqual(fileBytesMax);
  expect(numberIn(/large-client-header-buffers: 4 ([0-9]+)k/) * 1024).toBeGreaterThanOrEqual(headerBytesMax);
  expect(numberIn(/tune\.bufsize ([0-9]+)/)).toBeGreaterThanOrEqual(headerBytesMax);
  expect(numberIn(/proxy-read-timeout: "([0-9]+)"/) * 1000).toBeGreaterThanOrEqual(exportTimeoutMs);
  expect(numberIn(/proxy-send-timeout: "([0-9]+)"/) * 1000).toBeGreaterThanOrEqual(exportTimeoutMs);
  expect(numberIn(/timeout server ([0-9]+)h/) * 3_600_000).toBeGreaterThanOrEqual(exportTimeoutMs);
  expect(numberIn(/below the gateway's ([0-9]+) s/) * 1000).toBe(keepAliveTimeoutMs);
});
