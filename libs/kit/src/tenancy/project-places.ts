/** A project with places that are taken. */
interface Places {
  taken: number;
  readonly waiting: (() => void)[];
}

/**
 * Gives each project so many places at a time: however long one stays in its own, the rest is left for others.
 */
export class ProjectPlaces {
  readonly #max: number;
  readonly #projects = new Map<string, Places>();

  /** @param max - places of one project */
  constructor(max: number) {
    this.#max = max;
  }

  /** A place of a project, until it is disposed of; undefined while all of its places are taken. */
  tryTake(projectId: string): Disposable | undefined {
    const project = this.#projects.get(projectId) ?? { taken: 0, waiting: [] };
    if (project.taken >= this.#max) return undefined;
    project.taken++;
    this.#projects.set(projectId, project);
    return { [Symbol.dispose]: () => this.#giveBack(projectId, project) };
  }

  /** Runs work in a place, after those of the project who came before, or rejects with the signal's reason when that aborts first. */
  async within<T>(projectId: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    using _ = this.tryTake(projectId) ?? (await this.#wait(projectId, signal));
    return await work();
  }

  /** A method of a service that runs in a place of the project that it is asked of, and waits for one as long as its caller does. */
  around<Request extends { readonly projectId: string }, Answer>(
    method: (request: Request, context: { readonly signal: AbortSignal }) => Promise<Answer>,
  ): (request: Request, context: { readonly signal: AbortSignal }) => Promise<Answer> {
    return (request, context) => this.within(request.projectId, context.signal, () => method(request, context));
  }

  /** Waits until one who leaves hands its place over. */
  async #wait(projectId: string, signal: AbortSignal): Promise<Disposable> {
    const project = this.#projects.get(projectId) as Places;
    const turn = Promise.withResolvers<void>();
    const leave = (): void => {
      const at = project.waiting.indexOf(turn.resolve);
      if (at >= 0) project.waiting.splice(at, 1);
      turn.reject(signal.reason);
    };
    signal.throwIfAborted();
    project.waiting.push(turn.resolve);
    signal.addEventListener('abort', leave, { once: true });
    try {
      await turn.promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
    return { [Symbol.dispose]: () => this.#giveBack(projectId, project) };
  }

  #giveBack(projectId: string, project: Places): void {
    const next = project.waiting.shift();
    if (next !== undefined) next();
    else if (--project.taken === 0) this.#projects.delete(projectId);
  }
}
