import { faultError, type WeirError } from '@weir/kit/errors';

/** Another one has the name already, which cannot be archived: an organization, a project, a key or a connection. */
export function nameTaken(holder: string): WeirError {
  const message = `Another ${holder} has this name; choose another.`;
  return faultError('name_conflict', { path: '/name', code: 'name_taken', message });
}
