import { operandsOf, type Reference, type Syntax } from './syntax.js';
import { windowFunctions } from './words.js';

/** What an expression may read. */
export interface ExpressionInput {
  /** 21 characters; undefined while it has none, and then only its alias names it */
  readonly id: string | undefined;
  readonly kind: 'self_variable' | 'instrument_variable' | 'constant';
  /** of its variable or constant */
  readonly alias: string;
  /** Whether it has a `past_buffer_seconds`. */
  readonly isWindowed: boolean;
}

const none: readonly number[] = [];

/** Tells which inputs a name or an id means, by their places: one, when all is well. */
export function inputFinder(inputs: readonly ExpressionInput[]): (reference: Reference) => readonly number[] {
  const places = inputs.map((_, at) => at);
  const byAlias = Map.groupBy(places, (at) => inputs[at]?.alias);
  const byId = Map.groupBy(places, (at) => inputs[at]?.id);
  return (reference) => (reference.kind === 'id' ? byId.get(reference.id) : byAlias.get(reference.name)) ?? none;
}

/** Whether it names an input, by alias or by id. */
export function isReference(syntax: Syntax | undefined): syntax is Reference {
  return syntax?.kind === 'name' || syntax?.kind === 'id';
}

const ofWindows: ReadonlySet<string> = new Set(windowFunctions);

/** Whether a call reads the window of its one argument. */
export function readsWindow(name: string, argumentCount: number): boolean {
  return ofWindows.has(name) || ((name === 'min' || name === 'max') && argumentCount === 1);
}

/** The names that stand in an expression, but for those of functions. */
export function namesIn(syntax: Syntax): Set<string> {
  const names = new Set<string>();
  const visit = (part: Syntax): void => {
    if (part.kind === 'name') names.add(part.name);
    for (const operand of operandsOf(part)) visit(operand);
  };
  visit(syntax);
  return names;
}
