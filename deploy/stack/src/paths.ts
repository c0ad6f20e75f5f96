import { join } from 'node:path';

/** Root of the checkout. */
export const repositoryRoot = join(import.meta.dirname, '..', '..', '..');
