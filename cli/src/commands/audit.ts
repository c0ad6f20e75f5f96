import { type AuditedService, auditedServices } from '@weir/kit/audit';
import { parseConfig } from '@weir/kit/config';
import { connect } from '@weir/kit/rpc';
import { formatInstant } from '@weir/kit/time';
import { AuditServiceDefinition, type Entry } from '@weir/proto/audit';
import { Command, Option } from 'commander';
import { settings } from '../config.js';
import type { Context } from '../context.js';
import { parseId, parseRecordId, withList } from '../options.js';
import { columnsOf } from '../output/table.js';

const pageMax = 1000;

interface AuditOptions {
  readonly project?: string;
  readonly record?: string;
  readonly service: readonly AuditedService[];
  readonly limit: number;
  readonly json?: boolean;
}

function toEntry(entry: Entry) {
  return {
    at: formatInstant(entry.atUs),
    actor: entry.actor ?? null,
    action: entry.action,
    record_type: entry.recordType,
    record_id: entry.recordId,
    project_id: entry.projectId === '' ? null : entry.projectId,
    revision_before: entry.revisionBefore ?? null,
    revision_after: entry.revisionAfter ?? null,
    changed: entry.changed,
  };
}

type PrintedEntry = ReturnType<typeof toEntry>;

const columns = [
  ...columnsOf<PrintedEntry>('at'),
  { heading: 'actor', value: ({ actor }: PrintedEntry) => (actor === null ? null : `${actor.type} ${actor.id}`) },
  ...columnsOf<PrintedEntry>('action', 'record_type', 'record_id', 'project_id'),
  ...columnsOf<PrintedEntry>('revision_before', 'revision_after', 'changed'),
];

/** The newest entries of one service, `limit` at most. */
async function readEntries(
  { env }: Context,
  service: AuditedService,
  { project = '', record = '', limit }: AuditOptions,
): Promise<{ entries: Entry[]; hasMore: boolean }> {
  using client = connect(AuditServiceDefinition, parseConfig(settings[service], env).address);
  const entries: Entry[] = [];
  let before: number | undefined;
  do {
    const wanted = Math.min(limit - entries.length, pageMax);
    const page = await client.listEntries({ projectId: project, recordId: record, before, limit: wanted });
    entries.push(...page.entries);
    before = page.nextBefore;
  } while (before !== undefined && entries.length < limit);
  return { entries, hasMore: before !== undefined };
}

/** `weir audit`: who changed what, and when. */
export function auditCommand(context: Context): Command {
  return withList(new Command('audit'))
    .description('who changed what and when, newest first')
    .option('--project <id>', 'only changes in one project', parseId)
    .option('--record <id>', 'only changes of one record', parseRecordId)
    .addOption(
      new Option('--service <name...>', 'only changes of records of these services')
        .choices(auditedServices)
        .default(auditedServices, 'all'),
    )
    .action(async (options: AuditOptions) => {
      const lists = await Promise.all(options.service.map((service) => readEntries(context, service, options)));
      // each list is complete as far as it goes, and so are the newest of all
      const entries = lists.flatMap((list) => list.entries).sort((a, b) => b.atUs - a.atUs || b.id - a.id);
      const hasMore = entries.length > options.limit || lists.some((list) => list.hasMore);
      const printed = entries.slice(0, options.limit).map(toEntry);
      context.output.list(columns, printed, { hasMore, json: options.json ?? false });
    });
}
