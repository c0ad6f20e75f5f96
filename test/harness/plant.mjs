// Faults for tests of the tests: loaded into a process before its own code (`node --import`), it changes single lines of
// what is built as they are loaded. The product itself carries no switch for any of this.
//
// The URL says what: ?directory=D has `planted('x')` be true while the file D/x is there.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const directory = new URL(import.meta.url).searchParams.get('directory');

/** Whether a fault is planted now. */
globalThis.planted = (name) => existsSync(join(directory, name));

/** Tells a test that now is the moment to end the process. */
globalThis.tellMoment = () => writeFileSync(join(directory, 'moment'), '');

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

/** File of the build → lines of it, each with what stands there instead. */
const changes = {
  'libs/kit/dist/rpc/server.js': [
    [
      'inProject(projectOf(call.request), () => call.next(call.request, inner).next())',
      'inProject(projectOf(call.request), () => failing(() => call.next(call.request, inner).next()))',
    ],
  ],
  'services/ingestion/dist/rpc/admit.js': [
    [
      'const rows = await insertAdmissions.all(pool, toColumns(batches, nowUs()));',
      `if (planted('answer-before-commit')) {
        const columns = toColumns(batches, nowUs());
        setTimeout(() => insertAdmissions.all(pool, columns).catch(() => undefined), 400);
        setTimeout(tellMoment, 50);
        return batches.map(({ publicId, count }) => ({ batchId: publicId, count, replayed: false, states: Buffer.alloc(0) }));
      }
      const rows = await insertAdmissions.all(pool, toColumns(batches, nowUs()));`,
    ],
    [
      'keys: batches.map((batch) => batch.idempotencyKey || null),',
      `keys: batches.map(({ idempotencyKey: key }) => (planted('admit-twice') ? key + '~' + Math.random() : key || null)),`,
    ],
  ],
  'services/ingestion/dist/stream/publisher.js': [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source of a template
    ['`${first.id}.${first.epoch}`', "planted('fixed-message-id') ? String(first.id) : `${first.id}.${first.epoch}`"],
  ],
  'services/observations/dist/stream/process-runs.js': [
    [
      'const resolved = await resolveNames(names, batches);',
      'poison(batches);\n    const resolved = await resolveNames(names, batches);',
    ],
    [
      'const { superseded, isMarked } = await writeRows(',
      `if (planted('complete-before-store') && !mayBeStored) {
        const told = toOutcomes(settlement, []).map((outcome) => toOutcomeMessage(outcome, 0));
        await ingestion.completeRuns({ batches: told });
        tellMoment();
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
      const { superseded, isMarked } = await writeRows(`,
    ],
  ],
  'services/observations/dist/stream/write-rows.js': [
    [
      'const { memory, mayBeStored } = writing;',
      `const { memory, mayBeStored } = writing;
      if (planted('lose-a-point')) rows = selectRows(rows, Array.from({ length: rows.count - 1 }, (_, row) => row));`,
    ],
    ['const isMarked = await markReaders(', "const isMarked = !planted('compute-nothing') && await markReaders("],
    ['if (unchanged !== undefined) {', "if (unchanged !== undefined && !planted('compute-nothing')) {"],
  ],
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
