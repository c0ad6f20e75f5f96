import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { repositoryRoot } from '../paths.js';
import type { Verdict } from './verdict.js';

interface Package {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function readJson<T>(...path: readonly string[]): T {
  return JSON.parse(readFileSync(join(repositoryRoot, ...path), 'utf8')) as T;
}

/** Folders that a tsconfig refers to, from the root. */
function referencesOf(folder: string, file = 'tsconfig.json'): string[] {
  const { references = [] } = readJson<{ references?: readonly { path: string }[] }>(folder, file);
  return references.map(({ path }) => normalize(join(folder, path))).filter((path) => !path.endsWith('.json'));
}

function differences(what: string, expected: readonly string[], found: readonly string[]): string[] {
  return [
    ...expected.filter((item) => !found.includes(item)).map((item) => `${what} lacks ${item}`),
    ...found.filter((item) => !expected.includes(item)).map((item) => `${what} has ${item}, which is not a dependency`),
  ];
}

/** The references by which `tsc -b` finds its order are the dependencies of the packages, and the root names all. */
export function checkReferences(): Promise<Verdict> {
  const { workspaces } = readJson<{ workspaces: string[] }>('package.json');
  const folders = workspaces.flatMap((glob) => globSync(`${glob}/tsconfig.json`, { cwd: repositoryRoot }).map(dirname));
  const folderOf = new Map(folders.map((folder) => [readJson<Package>(folder, 'package.json').name, folder]));
  const faults = folders.flatMap((folder) => {
    const { dependencies = {} } = readJson<Package>(folder, 'package.json');
    const expected = Object.keys(dependencies).flatMap((name) => folderOf.get(name) ?? []);
    return differences(`${folder}/tsconfig.json`, expected, referencesOf(folder));
  });
  for (const file of ['tsconfig.json', 'tsconfig.tests.json']) {
    faults.push(...differences(file, folders, referencesOf('.', file)));
  }
  return Promise.resolve(faults.length === 0 ? { status: 'passed' } : { status: 'failed', output: faults.join('\n') });
}
