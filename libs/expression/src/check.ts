import { type ExpressionFault, faultAt } from './fault.js';
import { checkTable } from './interpolation.js';
import { expressionFaultsMax } from './limits.js';
import { parse } from './parse.js';
import { type ExpressionInput, inputFinder, isReference, readsWindow } from './references.js';
import { operandsOf, type Reference, type Syntax } from './syntax.js';
import { constants, foreignNames, reservedWords, type Signature, signatures } from './words.js';

/** An expression without faults, and what it reads: it can be compiled. */
export interface CheckedExpression {
  readonly syntax: Syntax;
  readonly inputs: readonly ExpressionInput[];
}

function shownName(name: string): string {
  return name.length > 64 ? `${name.slice(0, 64)}…` : name;
}

/** What is wrong with a call of what is no function: its case, its name here, or that it was no call. */
function unknownFunction(name: string): string {
  const lower = signatures.get(name.toLowerCase());
  if (lower !== undefined) return `Functions are written in lower case: ${lower.usage}.`;
  const meant = foreignNames.get(name.toLowerCase());
  if (meant !== undefined) return `There is no function ${name}; write ${meant}.`;
  if (constants.has(name))
    return `${name} is a constant, not a function: write ${name} alone; to multiply, put a * before the parenthesis.`;
  return `There is no function ${shownName(name)}; to multiply, put a * before the parenthesis.`;
}

function shownCount(count: number): string {
  return `${count} argument${count === 1 ? '' : 's'}`;
}

function arityMessage(name: string, { min, max, usage }: Signature, count: number): string {
  const wanted = min === max ? shownCount(min) : `at least ${shownCount(min)}`;
  return `${name} takes ${wanted}, not ${count}; write ${usage}.`;
}

/** Collects the faults of one expression. */
class Checker {
  readonly faults: ExpressionFault[] = [];
  readonly #inputs: readonly ExpressionInput[];
  readonly #find: ReturnType<typeof inputFinder>;
  readonly #used = new Set<number>();

  constructor(inputs: readonly ExpressionInput[]) {
    this.#inputs = inputs;
    this.#find = inputFinder(inputs);
  }

  #add(offset: number, code: string, message: string): void {
    this.#push(faultAt(offset, code, message));
  }

  #push(...faults: readonly ExpressionFault[]): void {
    this.faults.push(...faults.slice(0, expressionFaultsMax - this.faults.length));
  }

  visit(syntax: Syntax): void {
    if (isReference(syntax)) this.#value(syntax);
    else if (syntax.kind === 'call') this.#call(syntax);
    else for (const operand of operandsOf(syntax)) this.visit(operand);
  }

  /** What belongs to the inputs as a whole. */
  checkInputs(): void {
    for (const [at, { alias, id }] of this.#inputs.entries()) {
      if (this.#used.has(at)) continue;
      const name = id === undefined ? alias : `${alias} or {${id}}`;
      const message = `The expression does not use this input; use it as ${name}, or remove it.`;
      this.#push({ code: 'unused_input', message, input: at });
    }
    if (!this.#inputs.some(({ kind, isWindowed }) => kind === 'self_variable' && !isWindowed)) {
      const message =
        'Read a variable of the same instrument without past_buffer_seconds: results have the instants of its observations.';
      this.#push({ code: 'no_driving_input', message });
    }
  }

  /** A name that stands for a number of its own. */
  #value(reference: Reference): void {
    if (reference.kind === 'name' && constants.has(reference.name)) return;
    const input = this.#resolve(reference);
    if (input?.kind === 'self_variable' && input.isWindowed) {
      const message =
        'This input has a past_buffer_seconds: read it in a function such as mean(…), or give the variable as another input without one.';
      this.#add(reference.offset, 'window_outside_function', message);
    }
  }

  /** Looks up the names of what is faulty already, where a window may be meant. */
  #touch(syntax: Syntax | undefined): void {
    if (syntax === undefined) return;
    if (isReference(syntax) && !(syntax.kind === 'name' && constants.has(syntax.name))) this.#resolve(syntax);
    for (const operand of operandsOf(syntax)) this.#touch(operand);
  }

  #resolve(reference: Reference): ExpressionInput | undefined {
    const meant = this.#find(reference);
    for (const at of meant) this.#used.add(at);
    if (meant.length === 1) return this.#inputs[meant[0] as number];
    const { offset } = reference;
    if (reference.kind === 'id') {
      if (meant.length === 0) this.#add(offset, 'unknown_input', 'No input has this id; add one, or correct the id.');
    } else if (meant.length > 1) {
      const ids = meant.map((at) => this.#inputs[at]?.id);
      const names =
        ids.length <= 3 && ids.every((id) => id !== undefined)
          ? `write ${ids.map((id) => `{${id}}`).join(' or ')}`
          : 'give the inputs ids, and write {input id}';
      this.#add(offset, 'ambiguous_name', `${meant.length} inputs are called ${shownName(reference.name)}; ${names}.`);
    } else this.#unknown(reference.name, offset);
    return undefined;
  }

  #unknown(name: string, offset: number): void {
    const usage = signatures.get(name)?.usage;
    if (usage !== undefined) this.#add(offset, 'function_without_arguments', `${name} is a function; write ${usage}.`);
    else if (name === 'true' || name === 'false') {
      this.#add(offset, 'unknown_name', `Write ${name === 'true' ? 1 : 0} for ${name}.`);
    } else if (reservedWords.has(name.toLowerCase())) {
      this.#add(offset, 'unknown_name', `Words are written in lower case here, and there is no ${shownName(name)}.`);
    } else {
      const message = `No input is called ${shownName(name)}; add one whose alias it is, or correct the name.`;
      this.#add(offset, 'unknown_name', message);
    }
  }

  #call(call: Extract<Syntax, { kind: 'call' }>): void {
    const { name, operands, offset } = call;
    const found = signatures.get(name);
    const visitAll = (): void => operands.forEach((operand) => this.visit(operand));
    if (found === undefined) {
      this.#add(offset, 'unknown_function', unknownFunction(name));
      return visitAll();
    }
    if (operands.length < found.min || operands.length > found.max) {
      this.#add(offset, 'wrong_arity', arityMessage(name, found, operands.length));
      if (name === 'previous' || readsWindow(name, 1)) operands.forEach((operand) => this.#touch(operand));
      else visitAll();
      return;
    }
    if (name === 'previous') this.#previous(operands[0], offset);
    else if (readsWindow(name, operands.length)) this.#window(name, operands[0], offset);
    else {
      if (name === 'interpolate') this.#push(...checkTable(call));
      visitAll();
    }
  }

  #window(name: string, argument: Syntax | undefined, offset: number): void {
    const alone = name === 'min' || name === 'max' ? `, or give ${name} two arguments or more` : '';
    if (!isReference(argument) || (argument.kind === 'name' && constants.has(argument.name))) {
      const message = `${name} reads the window of one input: write the alias or {input id} of one that has past_buffer_seconds${alone}.`;
      this.#add(offset, 'no_window', message);
      this.#touch(argument);
      return;
    }
    const input = this.#resolve(argument);
    if (input === undefined || input.isWindowed) return;
    const message =
      input.kind === 'constant'
        ? `A constant has no window; ${name} reads variables only${alone}.`
        : `This input has no window; give it past_buffer_seconds${alone}.`;
    this.#add(argument.offset, 'no_window', message);
  }

  #previous(argument: Syntax | undefined, offset: number): void {
    const input = isReference(argument) ? this.#resolve(argument) : undefined;
    if (!isReference(argument)) {
      this.#add(offset, 'no_past', 'previous reads one input: write the alias or {input id} of a variable.');
      this.#touch(argument);
    } else if (input?.kind === 'constant') {
      this.#add(argument.offset, 'no_past', 'A constant has no previous value; write the alias of a variable.');
    }
  }
}

/**
 * Checks an expression against what it may read, and tells every fault (at most 50); faults of the syntax alone when it
 * has one, as nothing else is known then.
 *
 * @param inputs - all that the calculation reads; what the expression does not use is a fault
 */
export function check(
  expression: string,
  inputs: readonly ExpressionInput[],
):
  | { readonly checked: CheckedExpression; readonly faults: readonly [] }
  | { readonly checked?: never; readonly faults: readonly ExpressionFault[] } {
  const { syntax, fault } = parse(expression);
  if (syntax === undefined) return { faults: [fault] };
  const checker = new Checker(inputs);
  checker.visit(syntax);
  checker.checkInputs();
  return checker.faults.length === 0 ? { checked: { syntax, inputs }, faults: [] } : { faults: checker.faults };
}
