/** A page of runs, newest first: by the descending order of their ids. */
export interface RunsPage<R> {
  readonly runs: R[];
  /** Down to which id this is all of its kind; empty when there are no further ones. */
  readonly nextAfter: string;
}

/**
 * One page of two kinds of runs. A page that goes on tells nothing of what lies below its end, so the
 * merged one ends there too; then it may be short.
 *
 * @param limit - runs of the page, at most
 */
export function mergePages<R extends { readonly runId: string }>(
  one: RunsPage<R>,
  other: RunsPage<R>,
  limit: number,
): RunsPage<R> {
  const known = one.nextAfter > other.nextAfter ? one.nextAfter : other.nextAfter;
  const runs = [...one.runs, ...other.runs]
    .filter((run) => run.runId >= known)
    .sort((a, b) => (a.runId < b.runId ? 1 : -1));
  const page = runs.slice(0, limit);
  return { runs: page, nextAfter: runs.length > limit ? (page.at(-1)?.runId ?? '') : known };
}
