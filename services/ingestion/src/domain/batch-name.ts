import { isId } from '@weir/kit/ids';

/**
 * A batch as messages and processors name it. After a restore from a backup numbers are given again,
 * to other batches; a public id never is.
 */
export interface BatchName {
  readonly batchId: number;
  /** Undefined in what messages of the release before bring: the number alone. */
  readonly publicId: string | undefined;
}

/** Names no batch. */
const nobody = '00000000-0000-0000-0000-000000000000';

/** The public id that a message says, if it says one. A text that is no id names no batch. */
export function saidPublicId(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  return isId(text) ? text : nobody;
}

/** Names by numbers and the public ids in the same order, of which there may be none. */
export function toBatchNames(batchIds: readonly number[], publicIds: readonly string[]): BatchName[] {
  return batchIds.map((batchId, at) => ({ batchId, publicId: saidPublicId(publicIds[at]) }));
}

/** The batch that a name is of, among batches by their numbers. */
export function batchOf<Batch extends { readonly publicId: string }>(
  { batchId, publicId }: BatchName,
  batches: ReadonlyMap<number, Batch>,
): Batch | undefined {
  const batch = batches.get(batchId);
  return publicId === undefined || publicId === batch?.publicId ? batch : undefined;
}

/**
 * Names as a statement takes them: a row is meant whose number is among the first, and who is among one of the others.
 * There may be thousands, so statements look the others up in a hash: `in (select unnest(…))`, where `= any(…)` would go
 * through all of them for each row.
 */
export interface NameColumns {
  readonly batchIds: readonly number[];
  /** Those that are said. As each is of one batch alone, it need not be held against its number. */
  readonly publicIds: readonly string[];
  /** Those that are named by their number alone. */
  readonly unsaidIds: readonly number[];
}

/** The columns of names. */
export function toNameColumns(names: readonly BatchName[]): NameColumns {
  return {
    batchIds: names.map(({ batchId }) => batchId),
    publicIds: names.flatMap(({ publicId }) => publicId ?? []),
    unsaidIds: names.filter(({ publicId }) => publicId === undefined).map(({ batchId }) => batchId),
  };
}
