import { WeirError } from '@weir/kit/errors';
import type { Db } from '@weir/kit/sql';
import { selectScanEstimate } from '../store/scan-estimate.js';

/** Probes of a first look, which costs less than a millisecond, and of the one that a refusal rests on. */
const probes = { first: 24, last: 2400 } as const;

/**
 * Refuses to read more observations than one query may, before they are read.
 *
 * @throws WeirError `query_too_large`
 */
export async function requireScan(
  db: Db,
  asked: {
    readonly projectId: string;
    readonly variableKeys: readonly number[];
    readonly startUs: number;
    readonly endUs: number;
  },
  observationsMax: number,
): Promise<void> {
  const estimate = async (count: number): Promise<number> => {
    const segments = Math.max(1, Math.floor(count / asked.variableKeys.length));
    return (await selectScanEstimate.one(db, { ...asked, segments })).observations;
  };
  if ((await estimate(probes.first)) <= observationsMax) return;
  // bursts look longer than they are to the first look
  const observations = await estimate(probes.last);
  if (observations <= observationsMax) return;
  throw new WeirError(
    'query_too_large',
    `The query would read about ${Number(observations.toPrecision(2))} observations, and may read ` +
      `${observationsMax}; ask for a shorter range or fewer variables, or export the observations.`,
  );
}
