/**
 * How variables are shown and how large their calculations may be: the one declaration by which the variables
 * service checks them, and the gateway checks and documents them. Defaults are filled in by parsing.
 */
export { bufferSecondsMax, calculationsMax, constantsMax, editorTokensMax, inputsMax } from './calculation-limits.js';
export { defaultViewOptions, type ViewOptions, viewOptions } from './view-options.js';
