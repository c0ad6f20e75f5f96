import type { ErrorCode } from '@weir/kit/errors';
import type { Permission, permissionFamilies } from '@weir/kit/permissions';
import type { z } from 'zod';
import type { Cursors, FilterValue } from '../cursors/cursors.js';
import { type Operation, operation, type Parameters, type ValuesOf } from '../http/operation.js';
import { boolean, cursor, integer, optional, searchText, withDefault } from '../http/parameters.js';
import { pageOf } from '../schemas/answers.js';
import { type Patch, type PatchMembers, patchSchema, readPatch } from '../schemas/patches.js';
import type { Shape } from '../schemas/records.js';
import { tellTakenAt } from './name-conflicts.js';
import { projectPath, type RecordCall, readCall } from './record-call.js';

/** What the operations of every family use. */
export interface FamilyDependencies {
  readonly cursors: Cursors;
  /** Limit of a body in bytes. */
  readonly bodyBytesMax: number;
}

/** What makes a family of records what it is. */
export interface Family<C extends string, I extends string, R, W> {
  /** Name of its permissions and operations. */
  readonly name: keyof typeof permissionFamilies;
  readonly tag: string;
  /** With its article, such as `a site`, and its plural: for a person. */
  readonly one: string;
  readonly many: string;
  /** Path of the list below the project, and the path parameter that names one record. */
  readonly collection: C;
  readonly id: I;
  readonly record: Shape<R>;
  /** What creating, updating and restoring answers, unless it is the record. */
  readonly written: Shape<W>;
}

/** What a list is asked for, as messages of services have it. */
export interface PageRequest {
  readonly q: string;
  readonly includeArchived: boolean;
  readonly limit: number;
  readonly after: string;
}

/** A page of records, and the position that the next one begins after; empty when there is none. */
export interface RecordPage<R> {
  readonly items: readonly R[];
  readonly nextAfter: string;
}

/** What an action says beside what its family says. */
interface Action {
  readonly description?: string;
  /** Codes that it may answer beside those of all actions of the kind. */
  readonly errors?: readonly ErrorCode[];
}

/** Whether a read or a list shows archived records. */
export const includeArchivedParameter = withDefault(boolean, false, 'Whether archived records are answered too.');

/** The query of a list of records without names. */
export const plainListQuery = {
  include_archived: includeArchivedParameter,
  limit: withDefault(integer(1, 100), 50, 'Records a page, at most.'),
  cursor: optional(cursor, '`next_cursor` of the page before; all else but `limit` must be as it was then.'),
};

const listQuery = {
  q: optional(searchText, 'Only those whose name contains this text, whatever its case.'),
  ...plainListQuery,
};

type ListQuery = ValuesOf<typeof listQuery>;

/**
 * The declared operations of a family of records: list, create, read, update, archive and restore. What
 * they have in common (paths, permissions, queries, cursors, patches, codes) is said here, once.
 */
export function recordFamily<const C extends string, const I extends string, R, W>(
  family: Family<C, I, R, W>,
  { cursors, bodyBytesMax }: FamilyDependencies,
) {
  const { name, tag, one, many, collection, id, record, written } = family;
  const item = `${collection}/{${id}}` as `${C}/{${I}}`;
  type Item = typeof item;

  const declare = (action: string, path: string) => {
    const operationId = `developerapi_${name}_${action}`;
    const permission = `developer_api.${name}.${action}` as Permission;
    return { id: operationId, tag, auth: 'developer', permission, ...projectPath(path) } as const;
  };
  const hasParent = collection.includes('{');

  /** `POST …/{id}/archive` or `…/restore`. */
  const lifecycle = <A>(
    action: 'archive' | 'restore',
    answer: Shape<A>,
    errors: readonly ErrorCode[],
    { description = '', errors: more = [] }: Action,
    run: (call: RecordCall<Item>) => Promise<A>,
  ): Operation => {
    const declared = declare(action, item);
    return operation({
      ...declared,
      path: `${declared.path}/${action}`,
      method: 'POST',
      summary: `${action === 'archive' ? 'Archive' : 'Restore'} ${one}`,
      description: `It takes no body. Done twice, it changes nothing. ${description}`.trimEnd(),
      query: {},
      success: { status: 200, ...answer },
      errors: ['not_found', ...errors, ...more],
      handle: async (request) => await run(readCall(item, request)),
    });
  };

  return {
    /** @param fetch - gets the page; `filters` are the values of the declared ones */
    list<const F extends Parameters>(
      {
        filters,
        isNamed = true,
        order = 'In the order of their creation.',
        description = '',
        errors = [],
      }: Action & {
        readonly filters: F;
        /** Whether the records have names to search. */
        readonly isNamed?: boolean;
        /** What their order is, when it is not that of their creation. */
        readonly order?: string;
      },
      fetch: (call: RecordCall<C>, page: PageRequest, filters: ValuesOf<F>) => Promise<RecordPage<R>>,
    ): Operation {
      const declared = declare('list', collection);
      return operation({
        ...declared,
        method: 'GET',
        summary: `List ${many}`,
        description: `${order} ${description}`.trimEnd(),
        query: { ...(isNamed ? listQuery : plainListQuery), ...filters } as Parameters,
        success: {
          status: 200,
          schema: pageOf(record.schema),
          example: { items: [record.example], next_cursor: null },
        },
        errors: [...(hasParent ? (['not_found'] as const) : []), 'invalid_cursor', ...errors],
        handle: async (request) => {
          const { query } = request;
          const { cursor: at, limit, ...bound } = query as ListQuery;
          const call = readCall(collection, request);
          const binding = {
            operation: declared.id,
            projectId: call.key.projectId,
            keyId: request.principal.keyId,
            filters: { ...call.key, ...(bound as Record<string, FilterValue>) },
          };
          const page = {
            q: bound.q ?? '',
            includeArchived: bound.include_archived,
            limit,
            after: at === undefined ? '' : cursors.open(at, binding),
          };
          const { items, nextAfter } = await fetch(call, page, query as ValuesOf<F>);
          return { items, next_cursor: nextAfter === '' ? null : cursors.seal(nextAfter, binding) };
        },
      });
    },

    create<B>(
      { body, example, description, errors = [] }: Action & { readonly body: z.ZodType<B>; readonly example: unknown },
      save: (call: RecordCall<C>, body: B) => Promise<W>,
    ): Operation {
      return operation({
        ...declare('create', collection),
        method: 'POST',
        summary: `Create ${one}`,
        ...(description !== undefined && { description }),
        query: {},
        body: { schema: body, bytesMax: bodyBytesMax, gzip: false, example },
        success: { status: 201, ...written },
        errors: [...(hasParent ? (['not_found', 'lifecycle_conflict'] as const) : []), 'name_conflict', ...errors],
        handle: async (request) => await save(readCall(collection, request), request.body as B),
      });
    },

    read(
      fetch: (call: RecordCall<Item>, includeArchived: boolean) => Promise<R>,
      { description, errors = [] }: Action = {},
    ): Operation {
      return operation({
        ...declare('read', item),
        method: 'GET',
        summary: `Read ${one}`,
        ...(description !== undefined && { description }),
        query: { include_archived: includeArchivedParameter },
        success: { status: 200, ...record },
        errors: ['not_found', ...errors],
        handle: async (request) => await fetch(readCall(item, request), request.query.include_archived),
      });
    },

    /** @param members - those that a patch may have */
    update<M extends PatchMembers>(
      {
        members,
        example,
        isGuarded = false,
        description = '',
        errors = [],
      }: Action & {
        readonly members: M;
        readonly example: unknown;
        /** Whether `expected_revision` is required. */
        readonly isGuarded?: boolean;
      },
      save: (call: RecordCall<Item>, patch: Patch<M>) => Promise<W>,
    ): Operation {
      return operation({
        ...declare('update', item),
        method: 'PATCH',
        summary: `Update ${one}`,
        description:
          'Members that are given are replaced whole, null clears one that may be null, others stay. An update that ' +
          `changes nothing keeps the revision. ${description}`.trimEnd(),
        query: {},
        body: { schema: patchSchema(members, isGuarded), bytesMax: bodyBytesMax, gzip: false, example },
        success: { status: 200, ...written },
        errors: ['not_found', 'revision_conflict', 'lifecycle_conflict', 'name_conflict', ...errors],
        handle: async (request) => await save(readCall(item, request), readPatch<M>(request.body)),
      });
    },

    archive(run: (call: RecordCall<Item>) => Promise<R>, action: Action = {}): Operation {
      return lifecycle('archive', record, [], action, run);
    },

    restore(run: (call: RecordCall<Item>) => Promise<W>, action: Action = {}): Operation {
      return lifecycle(
        'restore',
        written,
        ['lifecycle_conflict', 'name_conflict'],
        action,
        async (call) => await tellTakenAt(`path/${id}`, run(call)),
      );
    },
  };
}
