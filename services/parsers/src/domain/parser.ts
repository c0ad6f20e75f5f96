import { addIssues, Faults, parseJson } from '@weir/kit/faults';
import { applyChange, ifGiven, toChange } from '@weir/kit/patches';
import { type Actor, type ProjectRecord, parseActor, parseName } from '@weir/kit/records';
import { type ParserConfiguration, parserConfiguration } from '@weir/parser-configuration';
import { toCanonicalJson } from './canonical-json.js';

/** The one kind of files that is read. */
const csv = 'csv';

/** What a client may change of a parser. */
interface ParserFields {
  readonly name: string;
  /** With all defaults filled in. */
  readonly configuration: ParserConfiguration;
}

/** What follows from the configuration and its changes. */
interface ParserVersion {
  /** Rises with each change of the configuration. */
  readonly version: number;
  readonly canonicalSizeBytes: number;
}

/** A saved description of how to read loggers' files. */
export interface Parser extends ProjectRecord, ParserFields, ParserVersion {
  readonly type: string;
}

/** A new parser, checked. */
export interface NewParser extends ParserFields, ParserVersion {
  readonly type: string;
  readonly actor: Actor;
}

function sizeBytes(configuration: ParserConfiguration): number {
  return Buffer.byteLength(toCanonicalJson(configuration));
}

/** Undefined when there are faults. */
function parseConfiguration(text: string, bytesMax: number, faults: Faults): ParserConfiguration | undefined {
  const json = parseJson(text, '/configuration', faults);
  if (json === undefined) return undefined;
  const parsed = parserConfiguration.safeParse(json, { reportInput: true });
  if (!parsed.success) {
    addIssues(parsed.error.issues, faults, '/configuration');
    return undefined;
  }
  const bytes = sizeBytes(parsed.data);
  if (bytes > bytesMax) {
    faults.add('/configuration', 'too_large', `Give at most ${bytesMax} bytes of canonical JSON, not ${bytes}.`);
  }
  return parsed.data;
}

/** Checks a configuration that nobody saves. @throws WeirError `invalid_request` with every fault */
export function requireConfiguration(text: string, bytesMax: number): ParserConfiguration {
  const faults = new Faults();
  const configuration = parseConfiguration(text, bytesMax, faults);
  faults.throwIfAny();
  if (configuration === undefined) throw new Error('a configuration without faults is there');
  return configuration;
}

/** Checks a new parser. @throws WeirError `invalid_request` with every fault */
export function parseNewParser(
  input: {
    readonly name: string;
    /** empty means csv */
    readonly type: string;
    readonly version?: number | undefined;
    readonly configurationJson: string;
    readonly actor?: Actor | undefined;
  },
  configurationBytesMax: number,
): NewParser {
  const faults = new Faults();
  const name = parseName(input.name, '/name', faults);
  if (input.type !== '' && input.type !== csv) faults.add('/type', 'invalid_choice', `Give ${csv}.`);
  if (input.version !== undefined && input.version !== 1) {
    faults.add('/version', 'out_of_range', 'A new parser has version 1; give that, or leave it out.');
  }
  const configuration = parseConfiguration(input.configurationJson, configurationBytesMax, faults);
  const actor = parseActor(input.actor, '/actor', faults);
  faults.throwIfAny();
  if (configuration === undefined) throw new Error('a configuration without faults is there');
  return { name, type: csv, version: 1, configuration, canonicalSizeBytes: sizeBytes(configuration), actor };
}

/** What a patch says of a parser; members that it does not have are undefined. */
export interface ParserPatchInput {
  readonly name?: string | undefined;
  readonly configurationJson?: string | undefined;
}

/** Checks an update of a parser. @throws WeirError `invalid_request` with every fault */
export function parseParserUpdate(
  input: { readonly patch?: ParserPatchInput | undefined; readonly actor?: Actor | undefined },
  configurationBytesMax: number,
): { readonly change: Partial<ParserFields>; readonly actor: Actor } {
  const faults = new Faults();
  const given = {
    name: ifGiven(input.patch?.name, (name) => parseName(name, '/name', faults)),
    configuration: ifGiven(input.patch?.configurationJson, (text) =>
      parseConfiguration(text, configurationBytesMax, faults),
    ),
  };
  const actor = parseActor(input.actor, '/actor', faults);
  faults.throwIfAny();
  return { change: toChange<ParserFields>(given, []), actor };
}

/** The parser as a change leaves it, with a new version if it reads files in another way; undefined: as it is. */
export function applyUpdate(parser: Parser, change: Partial<ParserFields>): Parser | undefined {
  const changed = applyChange(parser, change);
  if (changed === undefined) return undefined;
  const { configuration } = changed;
  const isSame = toCanonicalJson(configuration) === toCanonicalJson(parser.configuration);
  const version = isSame ? parser.version : parser.version + 1;
  return { ...changed, version, canonicalSizeBytes: sizeBytes(configuration) };
}
