// Faults for tests, and for tests of the tests: loaded into a process before its own code (`node --import`), it changes
// single lines of what is built as they are loaded. The product itself carries no switch for any of this.
//
// The URL says what: ?directory=D has `planted('x')` be true while the file D/x is there.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { changes } from './plants.mjs';

const directory = new URL(import.meta.url).searchParams.get('directory');

/** Whether a fault is planted now. */
globalThis.planted = (name) => existsSync(join(directory, name));

/** Tells a test that now is the moment to end the process. */
globalThis.tellMoment = () => writeFileSync(join(directory, 'moment'), '');

/** Ends the process as `kill -9` does, where a test wants one to end here: the first that comes, and no further one. */
globalThis.dieAt = (point) => {
  if (!planted(point)) return;
  renameSync(join(directory, point), join(directory, `${point}.taken`));
  // whole at once, for a test that looks meanwhile
  writeFileSync(join(directory, `${point}.pid`), String(process.pid));
  renameSync(join(directory, `${point}.pid`), join(directory, `${point}.reached`));
  process.kill(process.pid, 'SIGKILL');
};

/** Ends or holds up the process over a value that no real device measures. */
globalThis.poison = (batches) => {
  if (planted('no-poison')) return;
  for (const { points } of batches) {
    if (points.values.includes(666.125)) throw new Error('a poisonous point');
    if (points.values.includes(666.25)) process.exit(7);
    if (points.values.includes(666.5)) for (;;);
  }
};

/** Has the handler of a call fail as no handler should. */
globalThis.failing = (handle) => {
  if (planted('throws')) throw new TypeError('a planted error');
  if (planted('rejects'))
    return new Promise((_, reject) => setImmediate(() => reject(new TypeError('a planted error'))));
  return handle();
};

const root = fileURLToPath(new URL('../..', import.meta.url));
const wanted = new Map(Object.entries(changes).map(([file, lines]) => [join(root, file), lines]));

registerHooks({
  load(url, context, nextLoad) {
    const lines = url.startsWith('file:') ? wanted.get(fileURLToPath(url)) : undefined;
    if (lines === undefined) return nextLoad(url, context);
    let source = readFileSync(fileURLToPath(url), 'utf8');
    for (const [line, instead] of lines) {
      // a fault that is not planted proves nothing
      if (source.split(line).length !== 2) throw new Error(`${url} has not exactly one: ${line}`);
      source = source.replace(line, () => instead);
    }
    return { format: 'module', source, shortCircuit: true };
  },
});
