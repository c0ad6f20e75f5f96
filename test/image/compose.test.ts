import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePorts } from '@weir/stack';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { roles } from '../chart/declared-settings.js';
import { root } from '../harness/checkout.js';

const project = `weir-test-${randomBytes(4).toString('hex')}`;
const containerOf = (service: string): string => `${project}_${service}_1`;
const stoppedWithinS = 30;

/** How podman is told to keep to what this machine lets it do, and which servers to run where no registry is reached. */
function writeSettings(directory: string): void {
  writeFileSync(
    join(directory, 'containers.conf'),
    `[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_backend = "netavark"
`,
  );
  const image = process.env['WEIR_SERVERS_IMAGE'];
  const services =
    image === undefined
      ? {}
      : Object.fromEntries(['postgresql', 'logins', 'redis', 'nats'].map((name) => [name, { image }]));
  writeFileSync(join(directory, 'override.yaml'), JSON.stringify({ services }));
}

test('deploy/compose.yaml comes up, takes a point and answers it, and stops', { timeout: 400_000 }, async () => {
  await using opened = new AsyncDisposableStack();
  const directory = mkdtempSync(join(tmpdir(), 'weir-compose-'));
  opened.defer(() => rmSync(directory, { recursive: true }));
  writeSettings(directory);
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...process.env,
    CONTAINERS_CONF: join(directory, 'containers.conf'),
    // nothing of systemd is asked to look after health: this does
    DISABLE_HC_SYSTEMD: 'true',
    WEIR_PORT: String(port),
  };
  const run = async (file: string, ...args: readonly string[]): Promise<string> =>
    (await promisify(execFile)(file, args, { env, maxBuffer: 64 * 1024 * 1024 })).stdout;
  const compose = (...args: readonly string[]) =>
    run(
      'podman-compose',
      ...['--project-name', project],
      ...['--file', join(root, 'deploy/compose.yaml'), '--file', join(directory, 'override.yaml')],
      ...args,
    );
  opened.defer(async () => {
    await compose('down', '--volumes');
    await run('podman', 'network', 'rm', '--force', `${project}_default`);
  });
  await compose('up', '--detach');

  const isReady = (): Promise<boolean> =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) await pause(250);
  await run('podman', 'healthcheck', 'run', containerOf('postgresql'));
  // Debian's podman-compose has a shell run what looks after health, which Weir's image has not: docker runs it as it is
  const { services } = parse(readFileSync(join(root, 'deploy/compose.yaml'), 'utf8'), { merge: true }) as {
    services: { gateway: { healthcheck: { test: string[] } } };
  };
  await run('podman', 'exec', containerOf('gateway'), ...services.gateway.healthcheck.test.slice(1));

  const weir = async (field: string, ...args: readonly string[]): Promise<string> => {
    const told = await run('podman', 'exec', containerOf('gateway'), 'weir', ...args);
    return new RegExp(`^${field}\\s+(\\S+)`, 'm').exec(told)?.[1] ?? told;
  };
  const organization = await weir('id', 'organizations', 'create', 'Example');
  const projectId = await weir('id', 'projects', 'create', 'First', '--organization', organization);
  const keys = {
    WEIR_PROJECT_ID: projectId,
    WEIR_API_KEY: await weir('key', 'keys', 'create', 'All', '--project', projectId, '--all-permissions'),
    WEIR_INGEST_KEY: await weir('key', 'connections', 'create', 'Loggers', '--project', projectId),
  };
  const smokeTest = join(root, 'deploy/image/smoke-test.mjs');
  await promisify(execFile)(process.execPath, [smokeTest], { env: { ...process.env, ...keys, WEIR_URL: url } });

  await run('podman', 'stop', '--time', String(stoppedWithinS), ...roles.map(containerOf));
  const ended = [...roles, 'migrate'].map(async (service) => {
    const code = await run('podman', 'inspect', '--format', '{{.State.ExitCode}}', containerOf(service));
    return [service, Number(code)];
  });
  expect(await Promise.all(ended)).toEqual([...roles, 'migrate'].map((service) => [service, 0]));
});
