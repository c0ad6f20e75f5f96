import { z } from 'zod';
import type { Clients } from '../clients/clients.js';
import type { CursorBinding, Cursors } from '../cursors/cursors.js';
import { JsonText, type Operation, operation } from '../http/operation.js';
import {
  boolean,
  cursor,
  id,
  idList,
  instant,
  integer,
  oneOf,
  optional,
  required,
  withDefault,
} from '../http/parameters.js';
import { idText, instantText, pageOf } from '../schemas/answers.js';
import { clampBound, rangeRule } from '../schemas/ranges.js';
import { aggregationQuery, aggregationRules, bucketColumns, readAggregated } from './aggregated-observations.js';
import { itemsJson, readPosition, writePosition } from './observations-page.js';
import { readVariables, type VariablesClient, variablesAskedMax } from './observed-variables.js';

const variableIdExample = '019c139f-2c00-7000-8000-2f5f2c7c1100';

const columns = z.strictObject({
  variable_id: idText,
  unit: z.string().nullable(),
  timestamps: z.array(instantText),
  values: z.array(z.number()).meta({ description: 'One value for each timestamp; 0 or 1 for a boolean variable.' }),
});

/** The operation that reads raw observations. */
export function observationsOperations(dependencies: {
  readonly variables: VariablesClient;
  readonly observations: Pick<Clients['observations'], 'listObservations' | 'aggregateObservations'>;
  readonly cursors: Cursors;
}): readonly Operation[] {
  const { variables, observations, cursors } = dependencies;
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
        'variable, and `limit` counts buckets of all variables. An aggregate that overflows is null.',
      auth: 'developer',
      permission: 'developer_api.observations.read',
      params: { project_id: required(id, 'Id of the project that the key belongs to.') },
      query: {
        variable_id: required(
          idList(1, variablesAskedMax),
          'The variables, in the order of the answer.',
          variableIdExample,
        ),
        start: optional(instant, 'Observations at this instant or later. Before 1700 it means 1700.'),
        end: optional(instant, 'Observations before this instant. After 2250 it means 2250.'),
        order: withDefault(oneOf('asc', 'desc'), 'asc', 'Order in time within each variable.'),
        limit: withDefault(integer(1, 10_000), 1000, 'Observations a page, at most.'),
        cursor: optional(cursor, '`next_cursor` of the page before; all else but `limit` must be as it was then.'),
        include_archived: withDefault(boolean, false, 'Whether archived variables may be read.'),
        ...aggregationQuery,
      },
      queryRules: [rangeRule('start', 'end'), ...aggregationRules],
      success: {
        status: 200,
        schema: pageOf(z.union([columns, bucketColumns])).extend({
          interval: z
            .string()
            .optional()
            .meta({ description: 'With `interval`: the one used, as an ISO 8601 duration.' }),
        }),
        example: {
          items: [
            {
              variable_id: variableIdExample,
              unit: 'm',
              timestamps: ['2026-01-31T12:00:00.000Z', '2026-01-31T12:10:00.000Z'],
              values: [1.532, 1.528],
            },
          ],
          next_cursor: null,
        },
      },
      errors: ['not_found', 'invalid_cursor', 'query_too_large', 'response_too_large'],
      handle: async ({ query, principal, requestId, signal }) => {
        const { order, limit, include_archived: includeArchived } = query;
        const { projectId, keyId } = principal;
        const call = { requestId, signal };
        const startUs = clampBound(query.start);
        const endUs = clampBound(query.end);
        const binding: CursorBinding = {
          operation: 'developerapi_observations_read',
          projectId,
          keyId,
          filters: {
            variable_id: query.variable_id,
            start: startUs,
            end: endUs,
            order,
            include_archived: includeArchived,
            interval: query.interval,
            aggregation: query.aggregation,
            timezone: query.timezone,
            fill: query.fill,
          },
        };
        const position = query.cursor === undefined ? undefined : cursors.open(query.cursor, binding);
        const asked = { projectId, ids: query.variable_id, includeArchived };
        const found = await readVariables(variables, asked, call);
        const descending = order === 'desc';
        const nextCursor = (next: string | undefined): string =>
          JSON.stringify(next === undefined ? null : cursors.seal(next, binding));
        const { interval } = query;
        if (interval !== undefined && startUs !== undefined && endUs !== undefined) {
          const request = { ...query, interval, startUs, endUs, descending };
          const buckets = { projectId, variables: found, query: request, from: position };
          const { members, next } = await readAggregated(observations, buckets, call);
          return new JsonText(`{${members},"next_cursor":${nextCursor(next)}}`);
        }
        const variableKeys = found.map((variable) => variable.variableKey);
        const after = position === undefined ? undefined : readPosition(position);
        const page = await observations.listObservations(
          { projectId, variableKeys, startUs, endUs, descending, limit, after },
          call,
        );
        const { nextAfter } = page;
        const next = nextAfter && writePosition(nextAfter);
        return new JsonText(`{"items":${itemsJson(found, page, after)},"next_cursor":${nextCursor(next)}}`);
      },
    }),
  ];
}
