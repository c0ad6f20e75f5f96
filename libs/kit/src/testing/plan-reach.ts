import { type Scope, withOuter } from './plan-scopes.js';

/** How a statement keeps to a project: it demands one, it does so where one is given, or nothing in it does. */
export type Keeping = 'always' | 'where given' | 'never';

const keyColumn = /(^|_)(id|key|number)$/;

/** Parts of a condition that must all hold. */
export function conjunctsOf(condition: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  const text = condition.replaceAll(/'[^']*'/g, "''").replace(/^\((.*)\)$/, '$1');
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++;
    else if (text[at] === ')') depth--;
    else if (depth === 0 && text.startsWith(' AND ', at)) {
      parts.push(text.slice(start, at));
      start = at + ' AND '.length;
    }
  }
  parts.push(text.slice(start));
  return parts.length === 1 ? parts : parts.map((part) => part.replace(/^\((.*)\)$/, '$1'));
}

interface Column {
  readonly alias: string;
  readonly name: string;
}

/** An equation of two columns, or of one with those of a sub-plan. */
const equation = /^\(?[a-z_]\w*\.\w+\)?(::\w+)? = (ANY )?\(?[a-z_]\w*\.\w+\)?(::\w+)?$/;

const columnsIn = (text: string): Column[] =>
  [...text.matchAll(/\b([a-z_]\w*)\.([a-z_]\w*)/g)].map(([, alias = '', name = '']) => ({ alias, name }));

/** What is known of the aliases in a plan. */
export interface Aliases {
  /** The column that tells the project of its rows, if there is one. */
  readonly projectColumnOf: (alias: string) => string | undefined;
  /** Whether all that it has was given by the caller. */
  readonly isGiven: (alias: string) => boolean;
  /** Where its rows come about; of no alias, nowhere. */
  readonly scopeOf: (alias: string) => Scope | undefined;
  /** Where the rows behind one come about: of a common table expression, or of a sub-select. */
  readonly behind: (alias: string) => Scope | undefined;
}

interface Fact {
  /** The rows that it holds for. */
  readonly scope: Scope;
}

/** What the rows of a plan are found by: which of its tables keep to a project, directly or by a key of one that does. */
export class Reach {
  readonly #keeping: (Fact & { alias: string; keeping: Keeping })[] = [];
  readonly #bounds = new Map<string, Set<string>>();
  readonly #links: (Fact & { ends: readonly [string, string] })[] = [];
  readonly #aliases: Aliases;

  constructor(aliases: Aliases) {
    this.#aliases = aliases;
  }

  #note(alias: string, keeping: Keeping, scope: Scope): void {
    this.#keeping.push({ alias, keeping, scope });
  }

  link(one: string, other: string, scope: Scope): void {
    this.#links.push({ ends: [one, other], scope });
  }

  /** A range whose ends both begin with the project is one within it. */
  #addBound(alias: string, bound: string, scope: Scope): void {
    const bounds = (this.#bounds.get(alias) ?? new Set()).add(bound);
    this.#bounds.set(alias, bounds);
    if (bounds.size === 2) this.#note(alias, 'always', scope);
  }

  /** A key that the caller gave stands for the row that it names, wherever else it is looked for. */
  #linkKeys(text: string, [left, right]: readonly Column[], scope: Scope): void {
    if (left === undefined || !keyColumn.test(left.name)) return;
    if (right === undefined) {
      const [, parameter] = / = (\$\d+)$/.exec(text) ?? [];
      if (parameter !== undefined && !this.#aliases.isGiven(left.alias)) this.link(left.alias, parameter, scope);
    } else if (keyColumn.test(right.name) && equation.test(text)) {
      const [one, other] = [left, right].map(({ alias, name }) =>
        this.#aliases.isGiven(alias) ? `${alias}.${name}` : alias,
      ) as [string, string];
      this.link(one, other, scope);
    }
  }

  /** @param scope - the rows that it is asked of */
  addConjunct(text: string, scope: Scope): void {
    const { projectColumnOf, isGiven } = this.#aliases;
    const columns = columnsIn(text);
    const [, bounded = '', name = '', bound = ''] = /^ROW\((\w+)\.(\w+), .*?\) ([<>])/.exec(text) ?? [];
    if (bound !== '' && projectColumnOf(bounded) === name) this.#addBound(bounded, bound, scope);
    const projects = columns.filter(({ alias, name }) => projectColumnOf(alias) === name);
    if (text.includes(' OR ')) {
      for (const { alias } of projects) this.#note(alias, 'where given', scope);
    } else if (text.includes(' = ')) {
      const others = columns.filter((column) => !projects.includes(column));
      const [project] = projects;
      // compared with what the caller gave
      if (project !== undefined && projects.length === 1 && others.every(({ alias }) => isGiven(alias)))
        this.#note(project.alias, 'always', scope);
      else this.#linkKeys(text, columns, scope);
    }
  }

  keepingOf(alias: string): Keeping {
    const reached = new Set([alias]);
    const held = new Set<Scope>();
    // a row that there is has all that it was made of, and all that holds for it
    const hold = (scope: Scope | undefined): void => {
      for (const one of withOuter(scope)) held.add(one);
    };
    for (let size = -1; size !== reached.size + held.size; ) {
      size = reached.size + held.size;
      for (const one of reached) {
        hold(this.#aliases.scopeOf(one));
        hold(this.#aliases.behind(one));
      }
      for (const { ends, scope } of this.#links)
        if (held.has(scope) && ends.some((one) => reached.has(one))) for (const one of ends) reached.add(one);
    }
    const found = this.#keeping.filter((fact) => held.has(fact.scope) && reached.has(fact.alias));
    if (found.some(({ keeping }) => keeping === 'always')) return 'always';
    return found.some(({ keeping }) => keeping === 'where given') ? 'where given' : 'never';
  }
}
