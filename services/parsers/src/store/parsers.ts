import { type Actor, nameTaken, projectRecordColumns, type RecordPage } from '@weir/kit/records';
import { archiving, type ConstraintErrors, containsPattern, restoring, sql, sqlPart, statement } from '@weir/kit/sql';
import type { ParserConfiguration } from '@weir/parser-configuration';
import { z } from 'zod';
import type { NewParser, Parser } from '../domain/parser.js';

/** The primary key of a parser. */
export interface ParserKey {
  readonly projectId: string;
  readonly parserId: string;
}

const none = z.object({});

const parser = z.object({
  ...projectRecordColumns,
  type: z.string(),
  version: z.number(),
  configuration: z.custom<ParserConfiguration>(),
  canonicalSizeBytes: z.number(),
});

/** Parsers as they are stored. */
const parsers = sqlPart`
  select id, project_id, name, type, version, configuration, canonical_size_bytes, revision,
    created_at as created_at_us, updated_at as updated_at_us, updated_by, archived_at as archived_at_us, archived_by
  from parsers.parsers`;

/** A parser of the project, archived or not. */
export const selectParser = statement(
  parser,
  ({ projectId, parserId }: ParserKey) => sql`
    ${parsers}
    where project_id = ${projectId} and id = ${parserId}`,
);

/** The same, and makes other changes of it wait for the end of the transaction. */
export const lockParser = statement(
  parser,
  ({ projectId, parserId }: ParserKey) => sql`
    ${parsers}
    where project_id = ${projectId} and id = ${parserId}
    for update`,
);

/** Parsers of a project in the order of their creation. */
export const selectParsers = statement(
  parser,
  (list: RecordPage) => sql`
    ${parsers}
    where project_id = ${list.projectId} and id > ${list.after}
      and (${list.includeArchived} or archived_at is null)
      and (${list.q === ''} or upper(lower(name collate "und-x-icu")) like (select upper(lower(${containsPattern(list.q)} collate "und-x-icu"))))
    order by id
    limit ${list.readMax}`,
);

/** Adds a parser. */
export const insertParser = statement(
  none,
  (created: ParserKey & NewParser) => sql`
    insert into parsers.parsers
      (project_id, id, name, type, version, configuration, canonical_size_bytes, created_by, updated_by)
    select ${created.projectId}, ${created.parserId}, ${created.name}, ${created.type}, ${created.version}::integer,
      ${created.configuration}::json, ${created.canonicalSizeBytes}::integer, actor, actor
    from (select ${created.actor}::jsonb as actor) as change`,
);

/** Saves a parser as it is now. */
export const updateParser = statement(
  none,
  ({ changed, actor }: { readonly changed: Parser; readonly actor: Actor }) => sql`
    update parsers.parsers
    set name = ${changed.name}, version = ${changed.version}, configuration = ${changed.configuration},
      canonical_size_bytes = ${changed.canonicalSizeBytes},
      updated_at = statement_timestamp(), updated_by = ${actor}, revision = revision + 1
    where project_id = ${changed.projectId} and id = ${changed.id}`,
);

/** Archives an active parser. */
export const updateParserArchived = archiving('parsers.parsers');

/** Makes an archived parser active again. */
export const updateParserRestored = restoring('parsers.parsers');

/** What violated constraints of parsers mean. */
export const parserConstraints: ConstraintErrors = {
  parsers_project_id_name_key: () => nameTaken('/name', 'active parser of the project'),
};
