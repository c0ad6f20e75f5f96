import { faultError, type WeirError } from '@weir/kit/errors';

/** What it means that a name of a tenant, a key or a connection is taken. */
export function nameConflict(message: string): WeirError {
  return faultError('name_conflict', { path: '/name', code: 'name_conflict', message });
}
