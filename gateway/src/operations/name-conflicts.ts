import { WeirError } from '@weir/kit/errors';

/**
 * Saves what takes a name (or an alias) that the request itself does not give, as a restore does. A service tells a
 * taken one at the member of the record; of such a request that is no place, and the detail names what is.
 *
 * @param path - what in the request makes the record take its name
 */
export async function tellTakenAt<T>(path: string, saving: Promise<T>): Promise<T> {
  try {
    return await saving;
  } catch (error) {
    if (!(error instanceof WeirError) || error.code !== 'name_conflict') throw error;
    const details = error.details.map((detail) => ({ ...detail, path }));
    throw new WeirError(error.code, error.message, { details });
  }
}
