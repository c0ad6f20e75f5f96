import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './checkout.js';

const run = promisify(execFile);
const releases = join(process.env['WEIR_DATA_DIR'] ?? join(root, '.weir'), 'releases');

/** The release before this checkout: the last of test/operations/releases.json, whose commits need no tag to be found by. */
async function previousRelease(): Promise<string> {
  const known = JSON.parse(await readFile(join(root, 'test/operations/releases.json'), 'utf8')) as Record<
    string,
    string
  >;
  const commit = Object.values(known).at(-1);
  if (commit === undefined) throw new Error('test/operations/releases.json names no release');
  return commit;
}

/** Whether the repository has a commit; a shallow clone is given it by the server that it came from. */
async function hasCommit(commit: string): Promise<boolean> {
  const git = (...args: readonly string[]) =>
    run('git', args, { cwd: root }).then(
      () => true,
      () => false,
    );
  const exists = () => git('cat-file', '-e', `${commit}^{commit}`);
  return (await exists()) || ((await git('fetch', '--quiet', '--depth', '1', 'origin', commit)) && (await exists()));
}

/**
 * A built checkout of the release before, kept between runs; undefined when there is no way to its commit, as in an
 * archive without history.
 */
export async function openPreviousRelease(): Promise<string | undefined> {
  const commit = await previousRelease();
  const directory = join(releases, commit);
  if (existsSync(directory)) return directory;
  if (!(await hasCommit(commit))) return undefined;
  const making = `${directory}.${process.pid}`;
  await mkdir(making, { recursive: true });
  const shell = async (script: string): Promise<void> => {
    const options = { cwd: making, maxBuffer: 64 * 1024 * 1024 };
    await run('bash', ['-euo', 'pipefail', '-c', script], options).catch(
      (error: { stdout: string; stderr: string }) => {
        throw new Error(`${script}\n${error.stdout}${error.stderr}`);
      },
    );
  };
  await shell(`git -C '${root}' archive ${commit} | tar -x`);
  const lock = async (folder: string) => await readFile(join(folder, 'package-lock.json'), 'utf8');
  // the same packages are not installed twice
  if ((await lock(making)) === (await lock(root))) {
    // those of workspaces as well
    await shell(`
      for folder in $(cd '${root}' && ls -d node_modules */node_modules */*/node_modules); do
        [ ! -d "$(dirname "$folder")" ] || cp -al '${root}'/"$folder" "$folder"
      done
      rm -rf node_modules/.vite*`);
  } else await shell('npm ci --ignore-scripts --no-audit --no-fund --prefer-offline');
  await shell('npm run generate --silent && node_modules/.bin/tsc -b');
  await rename(making, directory);
  return directory;
}

/** A copy of a built checkout with the migrations of this one: what the release before finds after an upgrade of the schema. */
export async function withOurMigrations(release: string): Promise<string> {
  const directory = `${release}-on-our-schema`;
  await rm(directory, { recursive: true, force: true });
  await run('cp', ['-al', release, directory]);
  for (const service of await readdir(join(root, 'services'))) {
    const migrations = join('services', service, 'migrations');
    await rm(join(directory, migrations), { recursive: true });
    await cp(join(root, migrations), join(directory, migrations), { recursive: true });
  }
  return directory;
}
