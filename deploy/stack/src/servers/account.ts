import { spawnSync } from 'node:child_process';
import { chownSync } from 'node:fs';
import { dirname } from 'node:path';

/** A command that runs as PostgreSQL wants it: not as root. */
export interface Account {
  /** Prefix of a command that ends with this process, by a signal of its choice. */
  wrap(command: string, args: readonly string[], endSignal: NodeJS.Signals): [string, string[]];
  /** Gives a folder to the account. */
  own(directory: string): void;
}

const setpriv = 'setpriv';

function idOf(option: '-u' | '-g', user: string): number | undefined {
  const { status, stdout } = spawnSync('id', [option, user], { encoding: 'utf8' });
  return status === 0 ? Number(stdout) : undefined;
}

/**
 * Options of setpriv that tie a process to this one: it gets `endSignal` when this one ends, however
 * it does, so that a supervisor killed with -9 leaves no server behind. Only Linux has that.
 */
export function tiedToParent(command: string, args: readonly string[], endSignal: NodeJS.Signals): [string, string[]] {
  if (process.platform !== 'linux') return [command, [...args]];
  return [setpriv, ['--pdeathsig', endSignal.slice(3), '--', command, ...args]];
}

/**
 * Who PostgreSQL runs as: whoever runs this, but for root, as which it refuses to run; then the user
 * `postgres`, or `nobody`. When that user may not pass through the folders above `directory` (a
 * checkout below root's home, say), it gets the one capability to do so.
 */
export function postgresAccount(directory: string): Account {
  if (process.getuid?.() !== 0) return { wrap: tiedToParent, own: () => undefined };
  const user = idOf('-u', 'postgres') === undefined ? 'nobody' : 'postgres';
  const [uid, gid] = [idOf('-u', user), idOf('-g', user)];
  if (uid === undefined || gid === undefined) {
    throw new Error('PostgreSQL does not run as root, and there is no user postgres: sudo useradd --system postgres');
  }
  const identity = ['--reuid', String(uid), '--regid', String(gid), '--clear-groups'];
  const canPass = spawnSync(setpriv, [...identity, '--', 'test', '-x', dirname(directory)]).status === 0;
  const passage = canPass ? [] : ['--inh-caps', '+dac_override', '--ambient-caps', '+dac_override'];
  return {
    wrap: (command, args, endSignal) => {
      const [wrapper, options] = tiedToParent(command, args, endSignal);
      return [wrapper, [...identity, ...passage, ...options]];
    },
    own: (owned) => chownSync(owned, uid, gid),
  };
}
