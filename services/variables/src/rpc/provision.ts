import { newId } from '@weir/kit/ids';
import type { Actor } from '@weir/kit/records';
import type { Db, Transaction } from '@weir/kit/sql';
import type { AskedInstrument } from '../domain/asked-names.js';
import { type CatalogView, viewCatalog } from '../domain/catalog-view.js';
import {
  decideVariables,
  missingInstruments,
  missingVariables,
  type ProvisioningLimits,
} from '../domain/provisioning.js';
import { selectTakenAliases } from '../store/aliases.js';
import { updateGenerationIfNamesShared } from '../store/catalogs.js';
import { countActiveInstruments, insertInstruments } from '../store/instruments.js';
import { selectNames } from '../store/names.js';
import { insertVariables } from '../store/variables.js';

/** What is asked of a project's catalog, and who asks. */
export interface AskedOfCatalog {
  readonly projectId: string;
  readonly instruments: readonly AskedInstrument[];
  readonly actor: Actor;
}

/** The catalog after provisioning, and how much was created. */
export interface Provisioned {
  readonly view: CatalogView;
  readonly instruments: number;
  readonly variables: number;
}

interface CreatedInstrument {
  readonly id: string;
  readonly name: string;
}

/** Looks the asked names up, all at one moment. */
export async function viewNames(
  db: Db,
  asked: { readonly projectId: string; readonly instruments: readonly AskedInstrument[] },
): Promise<CatalogView> {
  return viewCatalog(await selectNames.all(db, asked));
}

async function createInstruments(
  tx: Transaction,
  { projectId, actor }: AskedOfCatalog,
  missing: readonly AskedInstrument[],
  instrumentsMax: number,
): Promise<CreatedInstrument[]> {
  if (missing.length === 0) return [];
  const { count } = await countActiveInstruments.one(tx, { projectId, limit: instrumentsMax });
  const instruments = missing
    .slice(0, instrumentsMax - count)
    .map(({ siteId, name }) => ({ id: newId(), siteId, name }));
  if (instruments.length > 0) await insertInstruments.run(tx, { projectId, instruments, actor });
  return instruments;
}

async function createVariables(
  tx: Transaction,
  { projectId, actor }: AskedOfCatalog,
  view: CatalogView,
  variablesMax: number,
): Promise<number> {
  const missing = missingVariables(view);
  if (missing.size === 0) return 0;
  const rows = await selectTakenAliases.all(tx, { projectId, instrumentIds: [...missing.keys()] });
  const taken = new Map(rows.map((row) => [row.instrumentId, row]));
  const variables = decideVariables(missing, taken, variablesMax).map((variable) => ({ ...variable, id: newId() }));
  if (variables.length > 0) await insertVariables.run(tx, { projectId, variables, actor });
  return variables.length;
}

/**
 * Creates what is missing of the asked names, as far as the limits allow. The transaction holds the
 * lock of the catalog. The number of statements does not depend on the number of names.
 */
export async function provision(
  tx: Transaction,
  asked: AskedOfCatalog,
  limits: ProvisioningLimits,
): Promise<Provisioned> {
  const { projectId, instruments } = asked;
  const created: CreatedInstrument[] = [];
  let view = await viewNames(tx, asked);
  // those at a site first: a name without a site may mean one of them, and then is not created beside it
  for (const isSited of [true, false]) {
    const missing = missingInstruments(instruments, view, isSited);
    const added = await createInstruments(tx, asked, missing, limits.instrumentsPerProjectMax);
    if (added.length > 0) view = await viewNames(tx, asked);
    created.push(...added);
  }
  const variables = await createVariables(tx, asked, view, limits.variablesPerInstrumentMax);
  if (created.length > 0) await updateGenerationIfNamesShared.run(tx, { projectId, instruments: created });
  if (created.length > 0 || variables > 0) view = await viewNames(tx, asked);
  return { view, instruments: created.length, variables };
}
