/**
 * How a parser is told to read loggers' files: the one declaration by which the parsers service checks
 * a configuration and fills in its defaults, and the gateway checks and documents it.
 */
export { columnsMax } from './column-reference.js';
export { type ParserConfiguration, parserConfiguration, savedConfiguration } from './configuration.js';
