import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { printConfig } from '@weir/kit/config';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { declaredSettings, roles } from './declared-settings.js';
import { root } from './helm.js';
import { podsOf } from './pods.js';
import { manifestsOf, variants } from './variants.js';

const folder = join(root, 'deploy/image');
const containerfile = readFileSync(join(folder, 'Containerfile'), 'utf8');

/** Runs the image's entry point as the image would, but here. */
function runEntryPoint(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const all = [join(folder, 'entrypoint.mjs'), ...args];
    execFile(process.execPath, all, { cwd: '/', env: { ...env, PATH: process.env['PATH'] } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
  });
}

const required: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://localhost/weir',
  REDIS_URL: 'redis://localhost',
  NATS_URL: 'nats://localhost',
  CURSOR_KEYS: Buffer.alloc(32).toString('base64'),
  ...Object.fromEntries(roles.map((role) => [`${role.toUpperCase()}_ADDRESS`, `${role}:50051`])),
};

describe('the entry point of the image', () => {
  test.each(roles)('%s is the process of that role', async (role) => {
    const { code, stdout, stderr } = await runEntryPoint([role, '--print-config'], required);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(`${printConfig(declaredSettings[role] ?? {}, required)}\n`);
  });

  test('weir and migrate are the command line', async () => {
    expect(await runEntryPoint(['weir', '--version'])).toMatchObject({ code: 0, stdout: '0.1.0\n' });
    expect(await runEntryPoint(['migrate'])).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('DATABASE_URL'),
    });
  });

  test('another command is told which there are', async () => {
    const { code, stderr } = await runEntryPoint(['gatway']);
    expect(code).toBe(64);
    for (const role of [...roles, 'migrate', 'weir', 'smoke-test']) expect(stderr).toContain(role);
  });

  test('has every command that the chart gives', async () => {
    const asked = variants.flatMap((variant) =>
      podsOf(manifestsOf(variant)).flatMap(({ spec }) =>
        spec.containers.flatMap(({ image, args = [] }) => (/weir[:@]/.test(image) ? [args[0] ?? ''] : [])),
      ),
    );
    const { stderr } = await runEntryPoint([]);
    const there = stderr
      .slice(stderr.indexOf(':', 6) + 1)
      .split(',')
      .map((command) => command.trim());
    expect(there).toEqual(expect.arrayContaining([...new Set(asked)]));
  });
});

describe('the image', () => {
  test('S18: runs as a number, without a shell in between, on the Node that Weir targets', () => {
    expect(containerfile).toMatch(/^USER [1-9][0-9]*:[1-9][0-9]*$/m);
    expect(containerfile).toMatch(
      /^ENTRYPOINT \["node", "--v8-pool-size=0", "\/app\/deploy\/image\/entrypoint.mjs"\]$/m,
    );
    expect(containerfile).toMatch(/^ARG NODE_IMAGE=docker\.io\/library\/node:24/m);
  });

  test('and the compose file give the roles what the chart gives them', () => {
    const file = parse(readFileSync(join(root, 'deploy/compose.yaml'), 'utf8'), { merge: true }) as {
      services: Record<string, { command?: string[]; environment?: Record<string, string>; depends_on?: object }>;
    };
    for (const role of roles) {
      const { command, environment = {} } = file.services[role] ?? {};
      expect(command).toEqual([role]);
      const declared = Object.values(declaredSettings[role] ?? {});
      const known = new Set(declared.map(({ env }) => env));
      expect(
        Object.keys(environment).filter((name) => !known.has(name)),
        role,
      ).toEqual([]);
      const missing = declared.filter((setting) => setting.default === undefined && !(setting.env in environment));
      expect(
        missing.map(({ env }) => env),
        role,
      ).toEqual([]);
    }
    const urlOf = (name: string): string | undefined => file.services[name]?.environment?.['DATABASE_URL'];
    for (const role of roles.filter((name) => name !== 'gateway')) {
      expect(URL.parse(urlOf(role) ?? '')?.username, role).toBe(`weir_${role}_login`);
    }
    expect(URL.parse(urlOf('migrate') ?? '')?.username).toBe('weir');
    expect(urlOf('gateway')).toBeUndefined();
    expect(file.services['migrate']?.command).toEqual(['migrate']);
    expect(file.services['migrate']?.depends_on).toEqual({ logins: { condition: 'service_completed_successfully' } });
    // or else `docker compose up --wait` fails when the migrations have ended
    expect(file.services['gateway']?.depends_on).toEqual({ migrate: { condition: 'service_completed_successfully' } });
  });
});
