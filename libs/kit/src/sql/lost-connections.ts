import pg from 'pg';

/**
 * What passes without a change of the statement: connection exceptions, a login or a database that is not (yet) what
 * the other side has, shutdown, lack of connections or memory, a statement or a lock that took too long, a standby that
 * does not write, a transaction that was idle for too long.
 */
const passing = /^(08|28|3D|53|57P|57014|55P03|25006|25P03)/;

/**
 * How much longer than the statement may take its answer is waited for. The database ends what takes too long; when not even
 * that is heard, the connection leads nowhere, and the kernel would go on for a quarter of an hour.
 */
export const answerMarginMs = 5000;

/** Whether pg gave up waiting for an answer: nothing can be said on that connection any more. */
function isUnanswered(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

/** Closes a connection on which a statement was not answered; what is said on it afterwards is refused at once. */
export function leaveUnanswered(target: pg.Pool | pg.PoolClient, error: unknown): void {
  // a pool closes its own
  if (isUnanswered(error) && target instanceof pg.Client) void target.end();
}

/** Whether the same may succeed later, and nothing is wrong with what was asked. */
export function isPassing(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return passing.test(error.code ?? '');
  if (!(error instanceof Error)) return false;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return (
    /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOST|ENET)/.test(code) ||
    isUnanswered(error) ||
    /Connection terminated|timeout exceeded when trying to connect|not queryable/.test(error.message)
  );
}
