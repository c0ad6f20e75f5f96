import { type ErrorDetail, faultError, WeirError } from '@weir/kit/errors';

/** The record would be active under a parent that is archived. */
export function parentArchived(path: string, parent: 'site' | 'instrument'): WeirError {
  const message = `The ${parent} is archived; restore it first.`;
  return faultError('lifecycle_conflict', { path, code: `${parent}_archived`, message });
}

/** A record named in a body is not there. */
export function noSuchReference(path: string, what: string): WeirError {
  const message = `The project has no such ${what}.`;
  return faultError('invalid_request', { path, code: `${what}_not_found`, message });
}

/** The type of values cannot change once there are some. */
export function valueTypeFixed(): WeirError {
  const message = 'The variable has observations, so its value_type stays; create another variable.';
  return faultError('lifecycle_conflict', { path: '/value_type', code: 'has_observations', message });
}

/** A site still has active instruments; the details name them. */
export function siteInUse(instruments: readonly { readonly id: string; readonly name: string }[]): WeirError {
  const details: ErrorDetail[] = instruments.map(({ id, name }) => ({
    path: 'path/site_id',
    code: 'active_instrument',
    message: `The instrument ${JSON.stringify(name)} (${id}) is active.`,
  }));
  return new WeirError('dependency_conflict', 'The site has active instruments; archive them first.', { details });
}

/** The run has an end already, which stays. */
export function runEnded(state: string): WeirError {
  const message = `The run has ended (${state}); only one that is queued or running can be cancelled.`;
  return faultError('lifecycle_conflict', { path: 'path/run_id', code: 'ended', message });
}
