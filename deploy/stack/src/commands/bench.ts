import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../environment.js';
import { repositoryRoot } from '../paths.js';
import { startServers } from '../servers/start-servers.js';
import { nodeFlags } from '../stack/process-specs.js';

/** `./dev bench`: measures, against servers of its own that have nothing else to do. */
export async function bench(environment: Environment, args: readonly string[]): Promise<number> {
  const { binaries, given, dataDirectory } = environment;
  mkdirSync(dataDirectory, { recursive: true });
  const directory = mkdtempSync(join(dataDirectory, 'bench-'));
  try {
    await using servers = await startServers(directory, { binaries, given });
    const child = spawn(process.execPath, [...nodeFlags, join(repositoryRoot, 'test/bench/dist/main.js'), ...args], {
      env: {
        ...process.env,
        DATABASE_URL: servers.databaseUrl,
        REDIS_URL: servers.redisUrl,
        NATS_URL: servers.natsUrl,
      },
      stdio: 'inherit',
    });
    return await new Promise<number>((resolve) => {
      child.once('exit', (code) => resolve(code ?? 1));
    });
  } finally {
    rmSync(directory, { recursive: true });
  }
}
