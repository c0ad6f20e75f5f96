/** What is wrong with an expression or its inputs. */
export interface ExpressionFault {
  /** stable snake_case name of the fault */
  readonly code: string;
  /** For a person: where it is, what it is, what to do. */
  readonly message: string;
  /** Where it begins in the expression, in UTF-16 units; undefined when it has no place there. */
  readonly offset?: number;
  /** Which of the inputs is meant; undefined when none is. */
  readonly input?: number;
}

/** A fault at a place of the expression; people count characters from 1. */
export function faultAt(offset: number, code: string, message: string): ExpressionFault {
  // whatever is outside the basic plane is a fault by itself, so all before a fault is one unit a character
  return { code, message: `Character ${offset + 1}: ${message}`, offset };
}
