import { z } from 'zod';
import type { Actor, ProjectRecord } from '../records/index.js';
import { type Statement, statement } from './statement.js';

/** The tables of records that are archived and restored. */
type RecordTable =
  | 'dashboards.dashboards'
  | 'parsers.parsers'
  | 'variables.constants'
  | 'variables.groups'
  | 'variables.instruments'
  | 'variables.sites'
  | 'variables.variables';

/** The record as it was read, and who archives or restores it. */
export interface LifecycleChange {
  readonly record: Pick<ProjectRecord, 'projectId' | 'id'>;
  readonly actor: Actor;
}

const none = z.object({});

function changing(table: RecordTable, archived: string): Statement<LifecycleChange, object> {
  const text = `
    update ${table}
    set ${archived}, updated_at = statement_timestamp(), updated_by = $3, revision = revision + 1
    where project_id = $1 and id = $2`;
  return statement(none, ({ record, actor }: LifecycleChange) => ({
    text,
    values: [record.projectId, record.id, actor],
  }));
}

/** Declares the statement that archives an active record. */
export function archiving(table: RecordTable): Statement<LifecycleChange, object> {
  return changing(table, 'archived_at = statement_timestamp(), archived_by = $3');
}

/** Declares the statement that makes an archived record active again. */
export function restoring(table: RecordTable): Statement<LifecycleChange, object> {
  return changing(table, 'archived_at = null, archived_by = null');
}
