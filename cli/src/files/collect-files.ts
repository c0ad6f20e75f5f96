import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { WeirError } from '@weir/kit/errors';

/** A file that is to be sent. */
export interface LocalFile {
  readonly path: string;
  readonly bytes: number;
}

async function filesOf(directory: string, isRecursive: boolean): Promise<LocalFile[]> {
  const names: string[] = [];
  const directories: string[] = [];
  for await (const entry of await opendir(directory)) {
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) directories.push(entry.name);
    else names.push(entry.name);
  }
  const found: LocalFile[] = [];
  for (const name of names.sort()) {
    const path = join(directory, name);
    const { size, isFile } = await describe(path);
    if (isFile) found.push({ path, bytes: size });
  }
  if (isRecursive) for (const name of directories.sort()) found.push(...(await filesOf(join(directory, name), true)));
  return found;
}

async function describe(path: string) {
  try {
    const found = await stat(path);
    return { size: found.size, isFile: found.isFile(), isDirectory: found.isDirectory() };
  } catch (error) {
    throw new WeirError('not_found', `Cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/**
 * The files that paths name, in their order: a folder stands for its files by name, but hidden ones.
 *
 * @throws WeirError for a path that is not there
 */
export async function collectFiles(paths: readonly string[], isRecursive: boolean): Promise<LocalFile[]> {
  const found: LocalFile[] = [];
  for (const path of paths) {
    const { size, isDirectory } = await describe(path);
    if (isDirectory) found.push(...(await filesOf(path, isRecursive)));
    else found.push({ path, bytes: size });
  }
  // a file that two paths name is one
  return [...new Map(found.map((file) => [file.path, file])).values()];
}
