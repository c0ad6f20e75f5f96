import { afterAll, describe, expect, test } from 'vitest';
import { openTestStack } from '../harness/stack.js';
import { createTenant } from '../harness/tenant.js';
import { createCaller, type Deviation, exampleBody, unknownValue } from './calls.js';
import { type Answer, type DocumentedOperation, errorOf, readServedDocument } from './served-document.js';
import { createWorlds, type Example, idNames } from './world.js';

/**
 * Every operation of the served document that names a record, with one that is archived, with one of
 * another project, and with one of another parent in the project: those are answered as one that does not
 * exist, to the byte.
 */
const stack = await openTestStack({
  envOf: { gateway: { LIMIT_DEVELOPER_REQUESTS_BURST: '100000', UNDECLARED_ANSWERS: 'fail' } },
});
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
});

const [tenant, stranger] = await Promise.all([
  createTenant(stack.addresses.access),
  createTenant(stack.addresses.access),
]);
const document = await readServedDocument(stack.gatewayUrl);
const worlds = createWorlds(document.operations);
const callerOf = ({ developerKey, ingestionKey, projectId }: typeof tenant) =>
  createCaller(stack.gatewayUrl, { developer: developerKey, ingestion: ingestionKey }, projectId);
const call = callerOf(tenant);
const ofProject = document.operations.filter(({ path }) => path.includes('{project_id}'));

describe('what is archived', () => {
  /** What an operation answers when the record of one of its ids is archived. */
  const outcomeOf = (operation: DocumentedOperation, name: string): string => {
    const { method, path } = operation;
    const isItself = idNames(operation).at(-1) === name;
    if (method === 'GET') return '404 not_found';
    if (path.endsWith('/archive') || (path.endsWith('/restore') && isItself)) return '200';
    // leaving a group is no change of the instrument
    return method === 'DELETE' && isItself ? '200' : '409 lifecycle_conflict';
  };
  const told = (answer: Answer) =>
    answer.status < 300 ? `${answer.status}` : `${answer.status} ${errorOf(answer).code}`;

  const rows = ofProject.flatMap((operation) =>
    idNames(operation)
      .filter((name) => worlds.isArchivable(name, operation))
      .map((name) => ({ operation, name, outcome: outcomeOf(operation, name) })),
  );
  test.each(rows)(
    '$operation.method $operation.path, archived $name: $outcome',
    async ({ operation, name, outcome }) => {
      const world = worlds.open(call);
      const example = await world.example(operation);
      await world.archive(operation, name);
      const answer = await call(operation, example);
      document.check(operation, answer);
      expect(told(answer), answer.text).toBe(outcome);
      if (operation.method !== 'GET') return;
      const shown = await call(operation, { ...example, query: { ...example.query, include_archived: 'true' } });
      document.check(operation, shown);
      expect(shown.status, shown.text).toBe(200);
    },
  );
});

describe('S5: an id of another project or another parent is answered as one that names nothing', () => {
  const strangersCall = callerOf(stranger);

  /** A place for an id, and the answer to one there that names nothing of the project. */
  interface Place {
    readonly operation: DocumentedOperation;
    readonly what: string;
    readonly name: string;
    readonly status: number;
    readonly put: (example: Example, id: string) => Deviation;
    /** What the id stands below in the path, where it names nothing that is below another of its kind. */
    readonly parent?: string | undefined;
  }

  const places = document.operations.flatMap((operation): Place[] => [
    ...idNames(operation).map((name, at, names) => ({
      operation,
      what: `path/${name}`,
      name,
      status: 404,
      // any instrument of the project may become a member of a group, or be none
      parent: name === 'instrument_id' ? undefined : names[at - 1],
      put: (example: Example, id: string) => ({ ...example, path: { ...example.path, [name]: id } }),
    })),
    ...operation.parameters
      .filter(({ name, in: place }) => place === 'query' && worlds.isReference(name))
      .map(({ name }, _, references) => ({
        operation,
        what: `query/${name}`,
        name,
        // a file is not looked for at its site
        status: operation.path === '/v1/ingest/files' && name === 'site_id' ? 400 : 404,
        put: (example: Example, id: string) => ({
          ...example,
          query: {
            ...example.query,
            ...Object.fromEntries(
              references.filter(({ required }) => !required).map((other) => [other.name, undefined]),
            ),
            [name]: id,
          },
        }),
      })),
    ...worlds.referencesOf(exampleBody(operation)).map((pointer) => ({
      operation,
      what: `/${pointer.join('/')}`,
      name: pointer.at(-1) ?? '',
      status: 400,
      put: (example: Example, id: string) => ({ ...example, body: replaced(String(example.body), pointer, id) }),
    })),
  ]);

  test.each(places)(
    '$operation.method $operation.path, $what: $status',
    async ({ operation, what, name, status, put, parent }) => {
      const example = await worlds.open(call).example(operation);
      const foreign = await worlds.open(strangersCall).id(name, what.startsWith('path/') ? operation.path : undefined);
      const ofOtherParent = parent === undefined ? [] : [await worlds.open(call).id(name, operation.path)];
      const unknown = unknownValue(operation, name);
      // a widget's id has a form, which is told; any other text names nothing
      const formless = unknown.length === 21 ? [] : ['nonsense', foreign.toUpperCase()];
      const ids = [unknown, foreign, ...ofOtherParent, ...formless];
      const texts: string[] = [];
      for (const id of ids) {
        const answer = await call(operation, { ...put(example, id), headers: { 'x-request-id': 'same' } });
        document.check(operation, answer);
        expect([id, answer.status], answer.text).toEqual([id, status]);
        texts.push(answer.text);
      }
      expect(new Set(texts)).toEqual(new Set(texts.slice(0, 1)));
    },
  );
});

describe('S5: what a calculation reads as of its own instrument', () => {
  const places = document.operations
    .filter((operation) => idNames(operation).includes('instrument_id'))
    .flatMap((operation) => worlds.referencesOf(exampleBody(operation)).map((pointer) => ({ operation, pointer })));

  test.each(places)(
    '$operation.method $operation.path, $pointer of another one: 400 at its place',
    async ({ operation, pointer }) => {
      const example = await worlds.open(call).example(operation);
      const id = await worlds.open(call).id(pointer.at(-1) ?? '');
      const answer = await call(operation, { ...example, body: replaced(String(example.body), pointer, id) });
      document.check(operation, answer);
      expect(answer.status, answer.text).toBe(400);
      expect(errorOf(answer).details.map(({ path }) => path)).toContain(`/${pointer.join('/')}`);
    },
  );
});

/** A JSON text with another value at a place. */
function replaced(text: string, pointer: readonly string[], value: string): string {
  const json = JSON.parse(text);
  const last = pointer.at(-1) ?? '';
  pointer.slice(0, -1).reduce((parent, name) => parent[name], json)[last] = value;
  return JSON.stringify(json);
}
