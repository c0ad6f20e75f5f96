import type { RpcOptions } from '@weir/kit/rpc';
import type { Instrument } from '@weir/proto/variables';
import type { Clients } from '../clients/clients.js';
import type { Operation } from '../http/operation.js';
import { id, optional } from '../http/parameters.js';
import {
  fromInstrumentPatch,
  fromNewInstrument,
  instrumentMembers,
  instrumentShape,
  newInstrument,
  restoredInstrumentShape,
  toInstrumentJson,
} from '../schemas/instruments.js';
import { tellTakenAt } from './name-conflicts.js';
import { present } from './record-call.js';
import { type FamilyDependencies, recordFamily } from './record-family.js';

interface InstrumentsDependencies extends FamilyDependencies {
  readonly variables: Clients['variables'];
  readonly observations: Pick<Clients['observations'], 'getLastInstants'>;
}

/** Asks once for the last instants of any number of instruments. */
async function lastInstants(
  observations: InstrumentsDependencies['observations'],
  projectId: string,
  instrumentIds: readonly string[],
  options: RpcOptions,
): Promise<ReadonlyMap<string, number>> {
  if (instrumentIds.length === 0) return new Map();
  const { instants } = await observations.getLastInstants({ projectId, instrumentIds: [...instrumentIds] }, options);
  return new Map(instants.map(({ instrumentId, atUs }) => [instrumentId, atUs]));
}

/** The operations on instruments. */
export function instrumentsOperations(dependencies: InstrumentsDependencies): readonly Operation[] {
  const { variables, observations } = dependencies;
  const family = {
    name: 'instruments',
    tag: 'Instruments',
    one: 'an instrument',
    many: 'instruments',
    collection: '/instruments',
    id: 'instrument_id',
    record: instrumentShape,
  } as const;
  const instruments = recordFamily({ ...family, written: instrumentShape }, dependencies);
  // it alone of their writes may change values
  const { restore } = recordFamily({ ...family, written: restoredInstrumentShape }, dependencies);
  const { example } = instrumentShape;

  /** An answer with what only the observations tell, asked first: what fails then has changed nothing. */
  const answer = async (
    { key, options }: { key: { projectId: string; instrumentId: string }; options: RpcOptions },
    act: () => Promise<{ readonly instrument: Instrument | undefined }>,
  ) => {
    const last = await lastInstants(observations, key.projectId, [key.instrumentId], options);
    return toInstrumentJson(present((await act()).instrument), last);
  };

  return [
    instruments.list(
      {
        filters: {
          site_id: optional(id, 'Only those at this site.'),
          group_id: optional(id, 'Only the members of this group.'),
        },
        errors: ['not_found'],
      },
      async ({ key, options }, page, filters) => {
        const { site_id: siteId = '', group_id: groupId = '' } = filters;
        const found = await variables.listInstruments({ ...key, ...page, siteId, groupId }, options);
        const ids = found.instruments.map((instrument) => instrument.id);
        const last = await lastInstants(observations, key.projectId, ids, options);
        return {
          items: found.instruments.map((instrument) => toInstrumentJson(instrument, last)),
          nextAfter: found.nextAfter,
        };
      },
    ),
    instruments.create(
      {
        body: newInstrument,
        example: {
          name: example.name,
          site_id: example.site_id,
          manufacturer: example.manufacturer,
          model: example.model,
          serial_number: example.serial_number,
          metadata: example.metadata,
        },
        description: 'Only `name` is required. An archived site is 409.',
        errors: ['lifecycle_conflict'],
      },
      async ({ key, actor, options }, instrument) => {
        const request = { ...key, ...fromNewInstrument(instrument), actor };
        const { instrument: created } = await variables.createInstrument(request, options);
        return toInstrumentJson(present(created), new Map());
      },
    ),
    instruments.read((call, includeArchived) =>
      answer(call, () => variables.getInstrument({ ...call.key, includeArchived }, call.options)),
    ),
    instruments.update(
      {
        members: instrumentMembers,
        example: { expected_revision: 1, name: 'Gauge 12b', serial_number: null },
      },
      (call, patch) => {
        const { key, actor, options } = call;
        const request = { ...key, expectedRevision: patch.expectedRevision, patch: fromInstrumentPatch(patch), actor };
        const saving = answer(call, () => variables.updateInstrument(request, options));
        // one that moves keeps its name, which may be taken where it comes to
        return patch.given.name === undefined ? tellTakenAt('/site_id', saving) : saving;
      },
    ),
    instruments.archive(
      (call) => answer(call, () => variables.archiveInstrument({ ...call.key, actor: call.actor }, call.options)),
      {
        description:
          'What belongs to it is archived with it, and comes back with it. An instrument that an active calculation ' +
          'of another one reads is not archived.',
        errors: ['dependency_conflict'],
      },
    ),
    restore(
      async ({ key, actor, options }) => {
        const last = await lastInstants(observations, key.projectId, [key.instrumentId], options);
        const { instrument, recalculationBatchRunId } = await variables.restoreInstrument({ ...key, actor }, options);
        return { ...toInstrumentJson(present(instrument), last), recalculation_batch_run_id: recalculationBatchRunId };
      },
      {
        description:
          'What belonged to it and was not archived by itself is active again. An instrument is not restored while ' +
          'its calculations read what is archived.',
        errors: ['dependency_conflict'],
      },
    ),
  ];
}
