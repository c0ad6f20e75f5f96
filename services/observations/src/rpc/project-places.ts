/** A project with queries in progress. */
interface Places {
  taken: number;
  readonly waiting: (() => void)[];
}

/**
 * Lets each project have so many queries in progress at a time, and its others wait for those in their order: however
 * slow the queries of one are, connections are left for the others.
 */
export class ProjectPlaces {
  readonly #max: number;
  readonly #projects = new Map<string, Places>();

  /** @param max - places of one project */
  constructor(max: number) {
    this.#max = max;
  }

  /** Runs a query of a project in a place of its own, or rejects with the signal's reason when that aborts first. */
  async within<T>(projectId: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const project = this.#projects.get(projectId) ?? { taken: 0, waiting: [] };
    this.#projects.set(projectId, project);
    if (project.taken < this.#max) project.taken++;
    else await waitIn(project.waiting, signal);
    try {
      return await work();
    } finally {
      const next = project.waiting.shift();
      if (next !== undefined) next();
      else if (--project.taken === 0) this.#projects.delete(projectId);
    }
  }
}

/** Waits until somebody who ends takes this one out of the queue, and so hands its place over. */
async function waitIn(queue: (() => void)[], signal: AbortSignal): Promise<void> {
  const turn = Promise.withResolvers<void>();
  const leave = (): void => {
    const at = queue.indexOf(turn.resolve);
    if (at >= 0) queue.splice(at, 1);
    turn.reject(signal.reason);
  };
  signal.throwIfAborted();
  queue.push(turn.resolve);
  signal.addEventListener('abort', leave, { once: true });
  try {
    await turn.promise;
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
