import type { z } from 'zod';
import { pointerStep, shownName } from './pointer.js';

type Issue = z.core.$ZodIssue;

/** Whatever collects faults. */
interface FaultSink {
  add(path: string, code: string, message: string): void;
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  null: 'null',
};

function pointer(path: readonly PropertyKey[]): string {
  return path.map((name) => pointerStep(shownName(String(name)))).join('');
}

const bounds = (origin: string): readonly [code: string, unit: string] =>
  origin === 'string'
    ? ['', ' character(s)']
    : origin === 'array' || origin === 'set'
      ? ['out_of_range', ' element(s)']
      : origin === 'object' || origin === 'map'
        ? ['out_of_range', ' member(s)']
        : ['out_of_range', ''];

const oneOf = (values: readonly unknown[]): string =>
  `Give ${values.length === 1 ? '' : 'one of '}${values.map((value) => JSON.stringify(value)).join(', ')}.`;

function addOne(issue: Issue, path: string, faults: FaultSink): void {
  switch (issue.code) {
    case 'invalid_type': {
      if (isMissing(issue)) {
        faults.add(path, 'required', 'This member is required.');
      } else if (issue.input === Number.POSITIVE_INFINITY || issue.input === Number.NEGATIVE_INFINITY) {
        faults.add(path, 'out_of_range', 'The number overflows a 64-bit double.');
      } else faults.add(path, 'invalid_type', `Give ${kinds[issue.expected] ?? issue.expected}.`);
      break;
    }
    case 'too_big': {
      const [code, unit] = bounds(issue.origin);
      faults.add(
        path,
        code || 'too_long',
        `Give ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}${unit}.`,
      );
      break;
    }
    case 'too_small': {
      const [code, unit] = bounds(issue.origin);
      faults.add(
        path,
        code || 'too_short',
        `Give ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}${unit}.`,
      );
      break;
    }
    case 'invalid_value':
      faults.add(path, 'invalid_choice', oneOf(issue.values));
      break;
    case 'invalid_union':
      if (!('options' in issue) || issue.options === undefined) faults.add(path, 'invalid_value', issue.message);
      else faults.add(path, 'invalid_choice', oneOf(issue.options));
      break;
    case 'invalid_format':
      // a pattern of the schema has words of its own: a regular expression tells a person nothing
      faults.add(path, 'invalid_format', issue.message);
      break;
    case 'custom': {
      const code: unknown = issue.params?.['code'];
      faults.add(path, typeof code === 'string' ? code : 'invalid_value', issue.message);
      break;
    }
    default:
      faults.add(path, 'invalid_value', issue.message);
  }
}

/** Members of the value itself that a branch of its union does not know. */
function unknownMembers(branch: readonly Issue[]): number {
  return branch.flatMap((issue) => (issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys : []))
    .length;
}

/**
 * Of a union's branches, the one that came nearest: it knows most of the members given, so that no fault tells to
 * remove what another branch has; and of such, the one with the fewest faults.
 */
function nearest(branches: readonly (readonly Issue[])[]): readonly Issue[] {
  return branches.toSorted((a, b) => unknownMembers(a) - unknownMembers(b) || a.length - b.length)[0] ?? [];
}

/** Whether a member is not there. */
function isMissing(issue: Issue): boolean {
  return issue.code === 'invalid_type' && issue.input === undefined && !('received' in issue);
}

/** What the branches of a union miss, where none has another fault: no branch is nearest then, and any would do. */
function choices(branches: readonly (readonly Issue[])[]): string | undefined {
  if (branches.length < 2 || !branches.flat().every((issue) => isMissing(issue) && issue.path.length === 1)) return;
  return branches.map((branch) => branch.map((issue) => String(issue.path[0])).join(' and ')).join(', or ');
}

/** Whether it is zod's own bound of an integer, ±(2^53 - 1), where the schema has a narrower one that is passed too. */
function isOutdone(issue: Issue, issues: readonly Issue[]): boolean {
  if ((issue.code !== 'too_big' && issue.code !== 'too_small') || issue.origin !== 'int') return false;
  const path = pointer(issue.path);
  return issues.some((other) => other !== issue && other.code === issue.code && pointer(other.path) === path);
}

/** Reports the issues of a zod schema as faults, each at its JSON Pointer. */
export function addIssues(issues: readonly Issue[], faults: FaultSink, at = ''): void {
  for (const issue of issues) {
    if (isOutdone(issue, issues)) continue;
    const path = at + pointer(issue.path);
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys)
        faults.add(`${path}${pointer([key])}`, 'unknown_field', 'There is no such member; remove it.');
    } else if (issue.code === 'invalid_union' && issue.errors.some((branch) => branch.length > 0)) {
      const branches = issue.errors.filter((branch) => branch.length > 0);
      const choice = choices(branches);
      if (choice === undefined) addIssues(nearest(branches), faults, path);
      else faults.add(path, 'required', `Give ${choice}.`);
    } else if (issue.code === 'invalid_key') {
      addIssues(issue.issues, faults, path);
    } else addOne(issue, path, faults);
  }
}
