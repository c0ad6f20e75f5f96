import { isId } from '@weir/kit/ids';
import { instantFault, observationInstantEndUs, observationInstantMinUs, parseInstant } from '@weir/kit/time';
import { type Command, InvalidArgumentError, Option } from 'commander';

/** Adds `--json` to a command. */
export function withJson(command: Command): Command {
  return command.option('--json', 'print one JSON document (errors too, on stderr)');
}

/** Adds `--limit` and `--json` to a command that lists. */
export function withList(command: Command): Command {
  return withJson(command).addOption(
    new Option('--limit <number>', 'how many at most, of as many pages as that takes')
      .default(100)
      .argParser(parseLimit),
  );
}

/** A positive integer. */
function parseLimit(text: string): number {
  const limit = Number(text);
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new InvalidArgumentError('It must be an integer from 1 to 999999999.');
  return limit;
}

/** The id of a record. */
export function parseId(text: string): string {
  const id = text.toLowerCase();
  if (!isId(id))
    throw new InvalidArgumentError('It must be an id, a UUID such as 019c139f-2c00-7000-8000-2f5f2c7c1100.');
  return id;
}

/** The id of a record, or of a group and a member of it with a slash between them, as the audit has it. */
export function parseRecordId(text: string): string {
  const ids = text.split('/');
  return ids.length === 2 ? ids.map(parseId).join('/') : parseId(text);
}

/** An RFC 3339 instant in microseconds since 1970, within the time of observations: others count as its bounds, and fit a message. */
export function parseInstantOption(text: string): number {
  const us = parseInstant(text);
  if (us === undefined) throw new InvalidArgumentError(instantFault(text));
  return Math.min(Math.max(us, observationInstantMinUs), observationInstantEndUs);
}
