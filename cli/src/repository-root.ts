import { resolve } from 'node:path';

/** Where `services/*` stand, seen from `cli/dist`. */
export const repositoryRoot = resolve(import.meta.dirname, '../..');
