/** Whose runs are meant; an empty id narrows nothing, which is for operators and for work that is of all projects. */
export interface Scope {
  readonly projectId: string;
  readonly connectionId: string;
}
