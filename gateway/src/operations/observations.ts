import { z } from 'zod';
import type { Clients } from '../clients/clients.js';
import { type ObservedVariable, type ObservedVariables, variablesAskedMax } from '../clients/observed-variables.js';
import type { CursorBinding, Cursors } from '../cursors/cursors.js';
import { JsonText, type Operation, operation, type QueryRule } from '../http/operation.js';
import {
  boolean,
  cursor,
  cursorLengthMax,
  id,
  idList,
  instant,
  integer,
  oneOf,
  optional,
  required,
  visibleAscii,
  withDefault,
} from '../http/parameters.js';
import { idText, instantText, pageOf } from '../schemas/answers.js';
import { clampBound, rangeRule } from '../schemas/ranges.js';
import { exampleIds } from '../schemas/records.js';
import {
  type AggregationQuery,
  aggregationQuery,
  aggregationRules,
  bucketColumns,
  readAggregated,
  withoutDefaults,
} from './aggregated-observations.js';
import { openMark, sealMark, unknownMark } from './change-marks.js';
import { itemsJson, readPosition, writePosition } from './observations-page.js';

const columns = z
  .strictObject({
    variable_id: idText,
    unit: z.string().nullable(),
    changed_ranges: z
      .array(z.strictObject({ start: instantText, end: instantText }))
      .optional()
      .meta({
        description:
          'With `changed_since`: the half-open changed ranges that this page covers. The observations in them are ' +
          'all there are now; what a client has beyond those was deleted.',
      }),
    timestamps: z.array(instantText),
    values: z.array(z.number()).meta({ description: 'One value for each timestamp; 0 or 1 for a boolean variable.' }),
  })
  .meta({ title: 'Observations, without `interval`' });

const changesRule: QueryRule = {
  of: ['changed_since', 'interval'],
  code: 'exclusive',
  faultOf: (query) =>
    query['changed_since'] !== undefined && query['interval'] !== undefined
      ? 'Changes are told of observations; give interval or changed_since.'
      : undefined,
};

/** The operation that reads raw observations. */
export function observationsOperations(dependencies: {
  readonly observed: ObservedVariables;
  readonly observations: Pick<Clients['observations'], 'listObservations' | 'aggregateObservations'>;
  readonly cursors: Cursors;
}): readonly Operation[] {
  const { observed, observations, cursors } = dependencies;
  return [
    operation({
      id: 'developerapi_observations_read',
      method: 'GET',
      path: '/dev-api/v1/p/{project_id}/observations',
      tag: 'Observations',
      summary: 'Read observations',
      description:
        'The observations of variables in a half-open range, as one pair of columns for each variable. Pages go ' +
        'variable by variable in the order asked, and `limit` counts observations in all. A page has an item for ' +
        'each variable that it goes through: one without observations in the range has empty columns, one that ' +
        'did not fit goes on on the next page.\n\nWith `interval`, items have one value a bucket for each function of ' +
        '`aggregation` instead. Buckets are half-open, stamped with their start, and those of the calendar in `timezone`: ' +
        'years, months and ISO weeks and days begin with the first instant of their first date there, so that a day ' +
        'may last 23 or 25 hours and a date that does not exist has none; several at a time are counted from ' +
        '2000-01-01 (weeks from its first Monday). Hours, minutes and seconds are absolute, counted from midnight of ' +
        '2000-01-01 there. Pages go bucket by bucket and within a bucket by variable, each has an item for every ' +
        'variable, and `limit` counts buckets of all variables; a page may have fewer. An aggregate that overflows is null.\n\nEach answer has a ' +
        '`change_mark`, all pages of one read the same. Given back as `changed_since`, it selects the ranges in which ' +
        'something was written or deleted after that read, and answers them whole: whoever replaces those ranges of a ' +
        'copy by what is answered, page by page, has what the server has, late and corrected data included.',
      auth: 'developer',
      permission: 'developer_api.observations.read',
      params: { project_id: required(id, 'Id of the project that the key belongs to.') },
      query: {
        variable_id: required(
          idList(1, variablesAskedMax),
          'The variables, in the order of the answer.',
          exampleIds.variable,
        ),
        start: optional(
          instant,
          'Observations at this instant or later. Before 1700 it means 1700.',
          '2026-01-31T00:00:00Z',
        ),
        end: optional(instant, 'Observations before this instant. After 2250 it means 2250.', '2026-02-01T00:00:00Z'),
        order: withDefault(oneOf('asc', 'desc'), 'asc', 'Order in time within each variable.'),
        limit: withDefault(
          integer(1, 10_000),
          1000,
          'Observations a page, at most; with `interval` buckets. `interval=auto` has no pages, and pays no heed to it.',
        ),
        cursor: optional(cursor, '`next_cursor` of the page before; all else but `limit` must be as it was then.'),
        include_archived: withDefault(boolean, false, 'Whether archived variables may be read.'),
        changed_since: optional(
          visibleAscii(cursorLengthMax),
          'The `change_mark` of an earlier answer, whatever variables it was of: only ranges that were changed after ' +
            'it. One that is older than the deployment keeps changes is refused; read without it again then.',
        ),
        ...aggregationQuery,
      },
      queryRules: [rangeRule('start', 'end'), changesRule, ...aggregationRules],
      exampleQuery: ['start', 'end'],
      success: {
        status: 200,
        schema: pageOf(z.union([columns, bucketColumns])).extend({
          interval: z
            .string()
            .optional()
            .meta({ description: 'With `interval`: the one used, as an ISO 8601 duration.' }),
          change_mark: z.string().meta({
            description: 'Opaque; as `changed_since` it selects what was changed after this read.',
          }),
        }),
        example: {
          items: [
            {
              variable_id: exampleIds.variable,
              unit: 'm',
              timestamps: ['2026-01-31T12:00:00.000Z', '2026-01-31T12:10:00.000Z'],
              values: [1.532, 1.528],
            },
          ],
          next_cursor: null,
          change_mark: 'AX3v…',
        },
      },
      errors: ['not_found', 'invalid_cursor', 'query_too_large', 'response_too_large'],
      handle: async ({ query, principal, requestId, signal }) => {
        const { order, limit, include_archived: includeArchived } = query;
        const { projectId, keyId } = principal;
        const call = { requestId, signal };
        const startUs = clampBound(query.start);
        const endUs = clampBound(query.end);
        const { interval, aggregation, timezone, fill } = query;
        const bindingTo = (buckets: object): CursorBinding => ({
          operation: 'developerapi_observations_read',
          projectId,
          keyId,
          filters: {
            variable_id: query.variable_id,
            start: startUs,
            end: endUs,
            order,
            include_archived: includeArchived,
            interval,
            ...buckets,
            changed_since: query.changed_since,
          },
        });
        const named = { aggregation, timezone, fill };
        const binding = bindingTo(withoutDefaults(named));
        // cursors of the release before are bound to defaults where these were named
        const opened = query.cursor === undefined ? undefined : cursors.open(query.cursor, binding, bindingTo(named));
        // what all pages answer is the mark of the first; cursors of the release before have none
        const [position, firstMark = unknownMark] = opened?.split('\n') ?? [];
        const { changed_since: given } = query;
        const changedSince = given === undefined ? undefined : openMark(cursors, given, projectId);
        const asked = { projectId, ids: query.variable_id, includeArchived };
        const descending = order === 'desc';
        const answer = (members: string, next: string | undefined, ownMark: string): JsonText => {
          const mark = opened === undefined ? ownMark : firstMark;
          const nextCursor = next === undefined ? null : cursors.seal(`${next}\n${mark}`, binding);
          const changeMark = sealMark(cursors, mark, projectId);
          return new JsonText(`{${members},"next_cursor":${JSON.stringify(nextCursor)},"change_mark":"${changeMark}"}`);
        };
        const readBuckets = async (
          found: readonly ObservedVariable[],
          request: AggregationQuery,
        ): Promise<JsonText> => {
          const buckets = { projectId, variables: found, query: request, from: position };
          const { members, next, mark } = await readAggregated(observations, buckets, call);
          return answer(members, next, mark);
        };
        const readRows = async (found: readonly ObservedVariable[]): Promise<JsonText> => {
          const variableKeys = found.map((variable) => variable.variableKey);
          const after = position === undefined ? undefined : readPosition(position);
          const page = await observations.listObservations(
            { projectId, variableKeys, startUs, endUs, descending, limit, after, changedSince },
            call,
          );
          const { nextAfter, changeMark } = page;
          const items = itemsJson(found, page, after, changedSince !== undefined);
          return answer(`"items":${items}`, nextAfter && writePosition(nextAfter), changeMark);
        };
        return await observed.read(asked, call, (found) =>
          interval !== undefined && startUs !== undefined && endUs !== undefined
            ? readBuckets(found, { ...query, interval, startUs, endUs, descending })
            : readRows(found),
        );
      },
    }),
  ];
}
