import { AsyncLocalStorage } from 'node:async_hooks';
import { isId } from '../ids/index.js';

const scopes = new AsyncLocalStorage<string>();

/** The setting of a transaction that names the project whose rows policies let it reach. */
export const scopeSetting = 'weir.project_id';

/** What policies take for all projects. */
const allProjects = '*';

/** Settings of every session of a pool whose work is of all projects. */
export const acrossProjectsSettings = { [scopeSetting]: allProjects } as const;

/**
 * Whose rows the work in progress may reach through a pool that keeps to projects: the id of a project,
 * `*` for all, or nothing.
 */
export function currentScope(): string {
  return scopes.getStore() ?? '';
}

/** Runs work that reaches the rows of one project and no others; of none where the text is no id. */
export function inProject<T>(projectId: string, work: () => T): T {
  return scopes.run(isId(projectId) ? projectId : '', work);
}

/** Runs work that is not of one project: feeds, sweeps, what an operator asks of all. */
export function acrossProjects<T>(work: () => T): T {
  return scopes.run(allProjects, work);
}

/** Runs work that reaches the rows of one project alone, or of all where none is named (an empty text), as operators ask. */
export function inProjectOrAll<T>(projectId: string, work: () => T): T {
  return projectId === '' ? acrossProjects(work) : inProject(projectId, work);
}

/** A stream whose every step is taken within the rows of one project. */
export async function* streamInProject<T>(
  projectId: string,
  open: () => AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> {
  const iterator = inProject(projectId, () => open()[Symbol.asyncIterator]());
  try {
    for (;;) {
      const step = await inProject(projectId, () => iterator.next());
      if (step.done === true) return;
      yield step.value;
    }
  } finally {
    await inProject(projectId, () => iterator.return?.());
  }
}
