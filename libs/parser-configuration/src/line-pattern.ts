import { RE2JS, RE2JSException } from 're2js';
import { patternSize } from './pattern-size.js';
import { text } from './texts.js';

/** A program of this size compiles in about 20 ms; both processes that check configurations are shared. */
const sizeMax = 2000;
const charactersMax = 256;

function faultOf(pattern: string): string | undefined {
  if (patternSize(pattern) > sizeMax) return 'The expression is too large; repeat less in it.';
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return `Give a regular expression of RE2's dialect: ${error.message.replace('error parsing regexp: ', '')}.`;
  }
}

/** A regular expression that is searched for in lines. */
export const linePattern = text(1, charactersMax)
  .superRefine((pattern, context) => {
    // told already; its size is looked for in a time that grows with the square of the length
    if (pattern.length > 2 * charactersMax) return;
    const fault = faultOf(pattern);
    if (fault !== undefined) {
      context.addIssue({ code: 'custom', message: fault, params: { code: 'invalid_pattern' } });
    }
  })
  .meta({ description: "A regular expression of RE2's dialect, searched for in the line as it stands in the file." });
