import type { PlanNode } from './statements.js';

/** A part of a plan whose rows come about together: where one of them is, each table of it has one. */
export interface Scope {
  /** The rows for each of which the part is run, if it is. */
  readonly outer: Scope | undefined;
}

/** A scope and all that it is run for. */
export function withOuter(scope: Scope | undefined): Scope[] {
  return scope === undefined ? [] : [scope, ...withOuter(scope.outer)];
}

/** Where the nodes of a plan are run. */
export interface PlanScopes {
  readonly scopeOf: ReadonlyMap<PlanNode, Scope>;
  /** Where conditions of a join hold: those of an outer one for the side alone that may be missing. */
  readonly joinScopeOf: ReadonlyMap<PlanNode, Scope>;
}

/** The sides of a join that may be missing in its rows. */
const missing: Readonly<Record<string, readonly string[]>> = {
  Left: ['Inner'],
  Anti: ['Inner'],
  Right: ['Outer'],
  'Right Anti': ['Outer'],
  Full: ['Inner', 'Outer'],
};

/** What answers rows of one of its parts, or one row whatever is in it. */
const apart = /^(Append|Merge Append|Recursive Union|SetOp|BitmapOr)$/;

function scopeOfPart(node: PlanNode, part: PlanNode, scope: Scope): Scope {
  const relation = String(part['Parent Relationship']);
  if (relation === 'InitPlan' && String(part['Subplan Name']).startsWith('CTE ')) return { outer: undefined };
  if (relation === 'InitPlan' || relation === 'SubPlan' || apart.test(node['Node Type'])) return { outer: scope };
  if (node['Node Type'] === 'Aggregate' && node['Strategy'] === 'Plain') return { outer: scope };
  return missing[String(node['Join Type'])]?.includes(relation) ? { outer: scope } : scope;
}

/** Tells of each node of a plan with which others it has its rows. */
export function readScopes(plan: PlanNode): PlanScopes {
  const scopeOf = new Map<PlanNode, Scope>();
  const joinScopeOf = new Map<PlanNode, Scope>();
  const walk = (node: PlanNode, scope: Scope): void => {
    scopeOf.set(node, scope);
    joinScopeOf.set(node, scope);
    for (const part of node.Plans ?? []) {
      const own = scopeOfPart(node, part, scope);
      if (missing[String(node['Join Type'])]?.includes(String(part['Parent Relationship']))) joinScopeOf.set(node, own);
      walk(part, own);
    }
  };
  walk(plan, { outer: undefined });
  return { scopeOf, joinScopeOf };
}

/** The scope of the rows that a part of a plan answers, or the first of the parts that it is put together from. */
export function bodyOf(part: PlanNode, { scopeOf }: PlanScopes): Scope | undefined {
  const parts = part.Plans?.filter((one) => one['Parent Relationship'] === 'Outer') ?? [];
  const [first] = parts;
  const isPassedOn =
    /^(Aggregate|Sort|Limit|Unique|LockRows|Recursive Union|Incremental Sort|Group|WindowAgg|Materialize)$/;
  if (first !== undefined && isPassedOn.test(part['Node Type']))
    return bodyOf(first, { scopeOf, joinScopeOf: scopeOf });
  return scopeOf.get(part);
}
