import { isId, newId } from '@weir/kit/ids';
import { cutPage, parsePage } from '@weir/kit/pages';
import { applyChange, isChanged } from '@weir/kit/patches';
import { type Actor, fromProjectId, parseChange, toRecordMessage, visible } from '@weir/kit/records';
import type { Db, Pool, Transaction } from '@weir/kit/sql';
import type { Constant as ConstantMessage } from '@weir/proto/variables';
import { parentArchived } from '../domain/conflicts.js';
import { type Constant, parseConstantPatch, parseNewConstant } from '../domain/constant.js';
import { dirtyByConstant } from '../domain/dirty.js';
import { checkUpdate, decideRestore } from '../domain/lifecycle.js';
import type { DirtyVariable } from '../domain/recalculation.js';
import type { Step } from '../domain/steps.js';
import { selectCalculations } from '../store/calculations.js';
import {
  insertConstant,
  replaceConstantValues,
  selectConstantPage,
  selectConstants,
  updateConstant,
  updateConstantArchived,
  updateConstantRestored,
} from '../store/constants.js';
import { selectConstantDependents } from '../store/dependents.js';
import type { ChangeCatalog } from './change-catalog.js';
import { chooseAlias } from './choose-alias.js';
import { requireAliasUnused, requireConstantUnread } from './dependents.js';
import { loadInstrument } from './instruments.js';
import type { VariablesMethods } from './methods.js';
import { startRecalculation } from './start-recalculation.js';

type Methods = Pick<
  VariablesMethods,
  'createConstant' | 'getConstant' | 'listConstants' | 'updateConstant' | 'archiveConstant' | 'restoreConstant'
>;

interface ConstantKey {
  readonly projectId: string;
  readonly instrumentId: string;
  readonly constantId: string;
}

const constantPath = 'path/constant_id';

/** So many values may a page have: they are some 60 bytes each in an answer (docs/decisions/0056, 6). */
const pageValuesMax = 20_000;

/** The constant of an instrument that a request names. @throws WeirError `not_found` */
async function loadConstant(db: Db, key: ConstantKey, includeArchived: boolean): Promise<Constant> {
  const { constantId, instrumentId } = key;
  const projectId = fromProjectId(key.projectId);
  const found = await selectConstants.maybe(db, { projectId, constantIds: isId(constantId) ? [constantId] : [] });
  return visible(found?.instrumentId === instrumentId ? found : undefined, 'constant', includeArchived);
}

function toConstantMessage(constant: Constant): ConstantMessage {
  return {
    ...toRecordMessage(constant),
    instrumentId: constant.instrumentId,
    alias: constant.alias,
    unit: constant.unit,
    values: constant.values.map(({ startTimeUs, value }) => ({ startTimeUs, value })),
  };
}

/** What reads a constant at the moment, where its values are about to change. */
async function dirtyReaders(
  tx: Transaction,
  constant: Constant,
  after: readonly Step<number>[],
): Promise<DirtyVariable[]> {
  const { projectId, id, instrumentId } = constant;
  const readers = await selectConstantDependents.all(tx, { projectId, id, instrumentId, limit: null });
  const variableIds = readers.map((reader) => reader.id);
  const calculations = await selectCalculations.all(tx, { projectId, variableIds });
  return dirtyByConstant(id, constant.values, after, calculations);
}

/** The methods on calibration constants. Each write tells the recalculation that it starts. */
export function constantMethods(pool: Pool, changeCatalog: ChangeCatalog): Methods {
  /** Ends a change: starts the recalculation and answers the constant as it is now. */
  async function answer(tx: Transaction, key: ConstantKey, actor: Actor, dirty: readonly DirtyVariable[]) {
    const cause = {
      projectId: key.projectId,
      causeKind: 'calibration_constant',
      causeId: key.constantId,
      actor,
    } as const;
    const recalculationBatchRunId = await startRecalculation(tx, cause, dirty);
    return { constant: toConstantMessage(await loadConstant(tx, key, true)), recalculationBatchRunId };
  }

  return {
    async createConstant(request) {
      const { projectId, instrumentId } = request;
      const fields = parseNewConstant(request);
      const key = { projectId, instrumentId, constantId: newId() };
      return await changeCatalog(projectId, async (tx) => {
        const instrument = await loadInstrument(tx, projectId, instrumentId, true);
        if (instrument.archivedAtUs !== undefined) throw parentArchived('path/instrument_id', 'instrument');
        const alias = await chooseAlias(tx, fields, projectId, instrumentId);
        await insertConstant.run(tx, { ...fields, ...key, alias });
        await replaceConstantValues.run(tx, { ...key, values: fields.values });
        return await answer(tx, key, fields.actor, []);
      });
    },

    async getConstant(request) {
      return { constant: toConstantMessage(await loadConstant(pool, request, request.includeArchived)) };
    },

    async listConstants(request) {
      const { projectId, instrumentId, q, includeArchived } = request;
      const page = { ...parsePage(request), instrumentId, q, includeArchived };
      await loadInstrument(pool, projectId, instrumentId, includeArchived);
      const read = await selectConstantPage.all(pool, page);
      const weight = { of: ({ valueCount }: (typeof read)[number]) => valueCount, max: pageValuesMax };
      const { records, nextAfter } = cutPage(read, page.readMax, ({ id }) => id, weight);
      const constants = await selectConstants.all(pool, { projectId, constantIds: records.map(({ id }) => id) });
      return { constants: constants.map(toConstantMessage), nextAfter };
    },

    async updateConstant(request) {
      const { projectId, expectedRevision } = request;
      const actor = parseChange(request);
      const change = parseConstantPatch(request.patch);
      return await changeCatalog(projectId, async (tx) => {
        const found = await loadConstant(tx, request, true);
        checkUpdate(found, expectedRevision, constantPath, 'constant');
        const changed = applyChange(found, change);
        if (changed === undefined) return await answer(tx, request, actor, []);
        await requireAliasUnused(tx, found, changed.alias);
        const dirty = await dirtyReaders(tx, found, changed.values);
        const changesValues = isChanged(found, changed, 'values');
        await updateConstant.run(tx, { ...changed, constantId: found.id, changesValues, actor });
        await replaceConstantValues.run(tx, { projectId, constantId: found.id, values: changed.values });
        return await answer(tx, request, actor, dirty);
      });
    },

    async archiveConstant(request) {
      const { projectId } = request;
      const actor = parseChange(request);
      const constant = await changeCatalog(projectId, async (tx) => {
        const found = await loadConstant(tx, request, true);
        if (found.isArchivedItself) return found;
        await requireConstantUnread(tx, found);
        await updateConstantArchived.run(tx, { record: found, actor });
        return await loadConstant(tx, request, true);
      });
      return { constant: toConstantMessage(constant) };
    },

    async restoreConstant(request) {
      const { projectId } = request;
      const actor = parseChange(request);
      return await changeCatalog(projectId, async (tx) => {
        const found = await loadConstant(tx, request, true);
        if (decideRestore(found, constantPath, 'instrument')) {
          await updateConstantRestored.run(tx, { record: found, actor });
        }
        // nothing active reads what was archived until now
        return await answer(tx, request, actor, []);
      });
    },
  };
}
