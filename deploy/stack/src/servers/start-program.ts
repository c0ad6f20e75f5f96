import { accessSync, constants, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { acceptsConnections } from '../processes/accepts-connections.js';
import { createProcessGroup, type ProcessGroup } from '../processes/process-group.js';
import { tiedToParent } from './account.js';

/** The file of a program on the PATH; undefined when it is not installed. */
export function findProgram(name: string, path = process.env['PATH'] ?? ''): string | undefined {
  return path
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/**
 * Starts a server that is no part of Weir, and waits until it accepts connections; it ends with this process, however that
 * does. Its log and its record stand in `directory`. Disposing stops it.
 */
export async function startProgram(options: {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly port: number;
  readonly directory: string;
}): Promise<ProcessGroup> {
  const { name, file, port, directory, env } = options;
  const recordDirectory = join(directory, 'run');
  mkdirSync(recordDirectory, { recursive: true });
  const [command, args] = tiedToParent(file, options.args, 'SIGINT');
  const group = createProcessGroup();
  await group.addAll([
    {
      name,
      command,
      args,
      env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8', TZ: 'UTC', ...env },
      logFile: join(directory, `${name}.log`),
      recordDirectory,
      ready: (signal) => acceptsConnections(port, signal),
    },
  ]);
  return group;
}
