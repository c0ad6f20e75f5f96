/**
 * `collect.mjs <folder>`: copies what the image needs out of a built checkout: manifests, what was compiled, and
 * migrations; no sources, no tests. The folder can then install its dependencies from the lock file.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { roles } from './roles.mjs';

const root = resolve(import.meta.dirname, '../..');
const target = process.argv[2];
if (target === undefined) throw new Error('usage: collect.mjs <folder>');

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));

/** Folders of the workspaces that roles need, by way of their dependencies. */
function neededWorkspaces() {
  const folders = new Map(
    Object.entries(lock.packages).flatMap(([path, { link, resolved }]) =>
      link === true ? [[path.replace('node_modules/', ''), resolved]] : [],
    ),
  );
  const needed = new Set();
  const visit = (folder) => {
    if (needed.has(folder)) return;
    needed.add(folder);
    for (const name of Object.keys(lock.packages[folder].dependencies ?? {})) {
      const next = folders.get(name);
      if (next !== undefined) visit(next);
    }
  };
  for (const [main] of Object.values(roles)) {
    if (main.includes('/dist/')) visit(main.slice(0, main.indexOf('/dist/')));
  }
  return [...needed].sort((a, b) => (a < b ? -1 : 1));
}

const copied = ['dist', 'migrations'];
/** A manifest of what runs: what is only built with is neither installed nor missed. */
const running = (manifest) => ({ ...manifest, devDependencies: undefined });
const write = (path, content) => writeFileSync(join(target, path), JSON.stringify(content, null, 2));
const workspaces = neededWorkspaces();
mkdirSync(target, { recursive: true });
for (const folder of workspaces) {
  for (const part of copied) {
    const from = join(root, folder, part);
    if (existsSync(from)) cpSync(from, join(target, folder, part), { recursive: true });
  }
  write(join(folder, 'package.json'), running(JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))));
}
cpSync(join(root, 'deploy/image'), join(target, 'deploy/image'), { recursive: true });
cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'));

// the lock file of the workspaces that were left out would not fit the manifest
const { overrides: _, ...kept } = running(manifest);
write('package.json', { ...kept, workspaces });
const isKept = (path) =>
  path === '' ||
  workspaces.some((folder) => path === folder || path.startsWith(`${folder}/node_modules/`)) ||
  (path.startsWith('node_modules/') &&
    (lock.packages[path].link !== true || workspaces.includes(lock.packages[path].resolved)));
const packages = Object.fromEntries(
  Object.entries(lock.packages)
    .filter(([path]) => isKept(path))
    .map(([path, entry]) => [path, running(entry)]),
);
packages[''] = { ...packages[''], workspaces };
write('package-lock.json', { ...lock, packages });
