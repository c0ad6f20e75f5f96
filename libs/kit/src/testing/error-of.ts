import { WeirError } from '../errors/index.js';

/** The error that a call ends with, as `code` or `code path, path …` of its details. */
export async function errorOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof WeirError)) throw error;
    return [error.code, ...error.details.map(({ path }) => path)].join(' ');
  }
  return 'no error';
}
