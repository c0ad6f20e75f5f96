import { type Caller, type Deviation, exampleBody } from './calls.js';
import { type DocumentedOperation, isCreate } from './served-document.js';

type Json = ReturnType<typeof JSON.parse>;

/** A call of an operation by its documented example, in which every id names a record that there is. */
export type Example = Required<Pick<Deviation, 'path' | 'query'>> & Pick<Deviation, 'body'>;

/** Records of one project, made through the API by the documented examples as they are needed. */
export interface World {
  /** The id of a record: of the one that is made where a path says, or else first. */
  id(name: string, path?: string): Promise<string>;
  example(operation: DocumentedOperation): Promise<Example>;
  /** Archives what a path parameter of an operation names. */
  archive(operation: DocumentedOperation, name: string): Promise<void>;
}

/** What stands before `/{name}` in a path. */
function collectionOf(path: string, name: string): string {
  return path.slice(0, path.indexOf(`/{${name}}`));
}

/** Names of the ids in a path, but for that of the project. */
export function idNames({ path }: DocumentedOperation): string[] {
  return [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name = '']) => name).filter((name) => name !== 'project_id');
}

/** Tells which records the operations of a document make, and opens worlds of them. */
export function createWorlds(operations: readonly DocumentedOperation[]) {
  const creates = operations.filter(isCreate);
  const ingest = operations.find(({ operationId }) => operationId === 'ingest_points');
  /** The parameter that names what an operation makes. */
  const nameOf = ({ path }: DocumentedOperation): string => {
    const item = operations.find((other) => other.path.startsWith(`${path}/{`) && other.method === 'GET');
    return item?.path.slice(path.length + 2, -1) ?? '';
  };
  /** What makes the record that an id names: at that path, or else wherever it is made first. */
  const creatorOf = (name: string, path = ''): DocumentedOperation | undefined =>
    creates.find((create) => create.path === collectionOf(path, name)) ??
    creates.find((create) => nameOf(create) === name);
  const archiveOf = (create: DocumentedOperation): DocumentedOperation | undefined =>
    operations.find(({ path }) => path === `${create.path}/{${nameOf(create)}}/archive`);

  /** Whether what an id of a path names can be archived. */
  const isArchivable = (name: string, { path }: DocumentedOperation): boolean => {
    const create = creatorOf(name, path);
    return create !== undefined && archiveOf(create) !== undefined;
  };

  /** Whether a member of a body or a parameter of a query refers to a record. */
  const isReference = (name: string): boolean => name.endsWith('_id') && creatorOf(name) !== undefined;

  /** Where in a documented body records are referred to. */
  const referencesOf = (value: unknown, at: readonly string[] = []): readonly (readonly string[])[] => {
    if (typeof value === 'string') return isReference(at.at(-1) ?? '') ? [at] : [];
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([name, member]) => referencesOf(member, [...at, name]));
  };

  const open = (call: Caller): World => {
    const made = new Map<DocumentedOperation, Promise<Json>>();

    const succeed = async (operation: DocumentedOperation, deviation: Deviation): Promise<Json> => {
      const { status, text } = await call(operation, deviation);
      if (status >= 300) throw new Error(`${operation.operationId}: ${status} ${text}`);
      return JSON.parse(text).data;
    };
    const make = async (create: DocumentedOperation): Promise<Json> => {
      const known = made.get(create);
      if (known !== undefined) return await known;
      const making = example(create).then((given) => succeed(create, given));
      made.set(create, making);
      return await making;
    };

    const idOf = async (name: string, path?: string): Promise<string> => {
      if (name === 'run_id' && ingest !== undefined) return (await make(ingest)).runs[0].run_id;
      // widgets are made with their dashboard
      if (name === 'widget_id') return (await make(creatorOf('dashboard_id') as DocumentedOperation)).widgets[0].id;
      const create = creatorOf(name, path);
      if (create === undefined) throw new Error(`no operation makes what ${name} names`);
      const data = await make(create);
      return (data.resource ?? data).id;
    };

    /** A documented value with ids of records that there are. */
    const real = async (value: Json): Promise<Json> => {
      if (typeof value !== 'object' || value === null) return value;
      if (Array.isArray(value)) return await Promise.all(value.map(real));
      const members: Json = {};
      for (const [name, member] of Object.entries(value))
        members[name] = typeof member === 'string' && isReference(name) ? await idOf(name) : await real(member);
      return members;
    };

    const example = async (operation: DocumentedOperation): Promise<Example> => {
      const path: Record<string, string> = {};
      for (const name of idNames(operation)) path[name] = await idOf(name, operation.path);
      const query: Record<string, string> = {};
      for (const { name, in: place, example: shown } of operation.parameters)
        if (place === 'query' && shown !== undefined && isReference(name)) query[name] = await idOf(name);
      const body = await real(exampleBody(operation));
      if (isCreate(operation)) body.name += ` ${crypto.randomUUID()}`;
      return { path, query, ...(body !== undefined && { body: JSON.stringify(body) }) };
    };

    return {
      id: idOf,
      example,
      async archive(operation, name) {
        const create = creatorOf(name, operation.path);
        const archive = create && archiveOf(create);
        if (create === undefined || archive === undefined) throw new Error(`nothing archives what ${name} names`);
        const ofCreate = await example(archive);
        await succeed(archive, { path: { ...ofCreate.path, [nameOf(create)]: await idOf(name, operation.path) } });
      },
    };
  };
  return { open, isArchivable, isReference, referencesOf };
}
