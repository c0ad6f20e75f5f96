import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, isFreePort } from '../processes/free-port.js';
import { writeWhole } from '../write-whole.js';

/** The servers of a stack. */
const serverNames = ['postgres', 'redis', 'nats'] as const;
export type ServerName = (typeof serverNames)[number];

/** What makes private servers the same ones again: their password and, while nobody took them, their ports. */
export interface ServerIdentity {
  readonly password: string;
  readonly ports: Readonly<Record<ServerName, number>>;
}

async function portFor(name: string, given: number | undefined, remembered: number | undefined): Promise<number> {
  if (given !== undefined) {
    if (await isFreePort(given)) return given;
    throw new Error(`Port ${given}, which is to be the one of ${name}, is in use.`);
  }
  return remembered !== undefined && (await isFreePort(remembered)) ? remembered : await freePort();
}

/** Password and ports of the servers of a folder: remembered there, with given ports above all. */
export async function identityOf(
  directory: string,
  given: Partial<Record<ServerName, number>>,
): Promise<ServerIdentity> {
  const file = join(directory, 'servers.json');
  const remembered = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as ServerIdentity) : undefined;
  const ports = serverNames.map(async (name) => [name, await portFor(name, given[name], remembered?.ports[name])]);
  const identity: ServerIdentity = {
    password: remembered?.password ?? randomBytes(24).toString('base64url'),
    ports: Object.fromEntries(await Promise.all(ports)),
  };
  writeWhole(file, JSON.stringify(identity));
  return identity;
}
