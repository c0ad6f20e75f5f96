import { pointerToken, shownName } from '@weir/kit/faults';
import { instantFault, parseInstant } from '@weir/kit/time';
import { PointsPacker } from '@weir/points';
import { Faults } from '../http/faults.js';
import { nameRule, readName, readSiteId, siteIdRule } from './texts.js';

/** The most points of a request and the most values of a point, whatever a deployment allows. */
export const pointsCeiling = 1000;
export const variablesMax = 256;

/** The points of a request, checked and packed. */
export interface PackedPoints {
  /** The form of @weir/points. */
  readonly body: Uint8Array;
  readonly count: number;
}

type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (json: unknown): json is JsonObject =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

/**
 * Checks the body of an ingest request and packs its points, in one pass over the parsed JSON
 * (a schema library and a second pass cost several times as much). `pointsSchema` states the same rules.
 *
 * @throws WeirError `invalid_request` or `unknown_field` with up to 50 faults
 */
export function readPoints(json: unknown, pointsMax: number): PackedPoints {
  const reader = new PointsReader();
  reader.body(json, pointsMax);
  return reader.packed();
}

class PointsReader {
  readonly #packer = new PointsPacker();
  readonly #faults = new Faults();
  /** The last point that used each channel: a channel used twice by one is a name that stands twice. */
  readonly #lastPoints: number[] = [];
  /** Names and the site read before: the points of a request repeat a few. */
  readonly #names = new Map<string, string>();
  #givenSite: unknown;
  #site: string | undefined;

  body(json: unknown, pointsMax: number): void {
    if (!isObject(json)) return this.#faults.add('', 'invalid_type', 'Give an object with the member data.');
    for (const key in json) {
      if (this.#faults.isFull) return;
      if (key !== 'data') this.#unknown('', key);
    }
    const points = json['data'];
    if (points === undefined) return this.#required('', 'data');
    if (!Array.isArray(points)) return this.#faults.add('/data', 'invalid_type', 'Give an array of points.');
    if (points.length === 0 || points.length > pointsMax) {
      return this.#faults.add('/data', 'out_of_range', `Give 1 to ${pointsMax} points; these are ${points.length}.`);
    }
    for (let i = 0; i < points.length && !this.#faults.isFull; i++) this.#point(points[i], i);
  }

  packed(): PackedPoints {
    this.#faults.throwIfAny();
    return { body: this.#packer.pack(), count: this.#packer.count };
  }

  #point(point: unknown, at: number): void {
    if (!isObject(point)) return this.#faults.add(`/data/${at}`, 'invalid_type', 'Give a point: an object.');
    const instant = point['instrument_timestamp'];
    const instrument = point['instrument_name'];
    const site = point['site_id'];
    const variables = point['ingested_variables'];
    for (const key in point) {
      if (this.#faults.isFull) return;
      if (
        key !== 'instrument_timestamp' &&
        key !== 'instrument_name' &&
        key !== 'ingested_variables' &&
        key !== 'site_id'
      )
        this.#unknown(`/data/${at}`, key);
    }
    const instantUs = this.#instant(instant, at);
    const siteId = site === undefined ? undefined : this.#siteId(site, at);
    const instrumentName = this.#name(instrument) ?? this.#badName(instrument, at);
    this.#packer.beginPoint(instantUs, siteId, instrumentName);
    this.#variables(variables, at);
  }

  #instant(value: unknown, at: number): number {
    const us = typeof value === 'string' ? parseInstant(value) : undefined;
    if (us !== undefined) return us;
    const path = `/data/${at}/instrument_timestamp`;
    if (value === undefined) this.#required(`/data/${at}`, 'instrument_timestamp');
    else if (typeof value !== 'string')
      this.#faults.add(path, 'invalid_type', 'Give an RFC 3339 date-time as a text, such as "2026-01-31T12:00:00Z".');
    else this.#faults.add(path, 'invalid_instant', instantFault(value));
    return 0;
  }

  #siteId(value: unknown, at: number): string | undefined {
    if (value === this.#givenSite) return this.#site;
    const siteId = typeof value === 'string' ? readSiteId(value) : undefined;
    if (siteId === undefined) {
      const code = typeof value === 'string' ? 'invalid_id' : 'invalid_type';
      this.#faults.add(`/data/${at}/site_id`, code, siteIdRule);
    } else {
      this.#givenSite = value;
      this.#site = siteId;
    }
    return siteId;
  }

  #name(value: unknown): string | undefined {
    if (typeof value !== 'string') return undefined;
    const known = this.#names.get(value);
    if (known !== undefined) return known;
    const name = readName(value);
    if (name !== undefined) this.#names.set(value, name);
    return name;
  }

  /** Tells what is wrong with the name of the instrument, or of a variable when `position` is given. */
  #badName(value: unknown, at: number, position?: number): string {
    const parent = position === undefined ? `/data/${at}` : `/data/${at}/ingested_variables/${position}`;
    const member = position === undefined ? 'instrument_name' : 'name';
    if (value === undefined) this.#required(parent, member);
    else {
      const code = typeof value === 'string' ? 'invalid_name' : 'invalid_type';
      this.#faults.add(`${parent}/${member}`, code, nameRule);
    }
    return '';
  }

  #variables(variables: unknown, at: number): void {
    if (variables === undefined) return this.#required(`/data/${at}`, 'ingested_variables');
    const path = `/data/${at}/ingested_variables`;
    if (!Array.isArray(variables))
      return this.#faults.add(path, 'invalid_type', 'Give an array of { "name": …, "value": … }.');
    if (variables.length === 0 || variables.length > variablesMax) {
      return this.#faults.add(
        path,
        'out_of_range',
        `Give 1 to ${variablesMax} variables; these are ${variables.length}.`,
      );
    }
    for (let i = 0; i < variables.length && !this.#faults.isFull; i++) this.#variable(variables[i], at, i);
  }

  #variable(variable: unknown, at: number, position: number): void {
    if (!isObject(variable)) {
      const path = `/data/${at}/ingested_variables/${position}`;
      return this.#faults.add(path, 'invalid_type', 'Give an object with name and value.');
    }
    const given = variable['name'];
    const value = variable['value'];
    for (const key in variable) {
      if (this.#faults.isFull) return;
      if (key !== 'name' && key !== 'value') this.#unknown(`/data/${at}/ingested_variables/${position}`, key);
    }
    const name = this.#name(given) ?? this.#badName(given, at, position);
    // adding zero turns -0 into 0
    const number = Number.isFinite(value) ? (value as number) + 0 : this.#badValue(value, at, position);
    if (name === '') return;
    const channel = this.#packer.addValue(name, number);
    if (this.#lastPoints[channel] === at) {
      const path = `/data/${at}/ingested_variables/${position}/name`;
      this.#faults.add(path, 'duplicate_name', 'The point has a value of this name already; names are unique in it.');
    }
    this.#lastPoints[channel] = at;
  }

  #badValue(value: unknown, at: number, position: number): number {
    const parent = `/data/${at}/ingested_variables/${position}`;
    if (value === undefined) this.#required(parent, 'value');
    else if (typeof value === 'number')
      this.#faults.add(`${parent}/value`, 'out_of_range', 'The number does not fit a double; give a finite one.');
    else
      this.#faults.add(
        `${parent}/value`,
        'invalid_type',
        'Give a JSON number; leave the variable out where there is no value.',
      );
    return 0;
  }

  #required(parent: string, member: string): void {
    this.#faults.add(`${parent}/${member}`, 'required', `${member} is required.`);
  }

  #unknown(parent: string, member: string): void {
    const path = `${parent}/${pointerToken(shownName(member))}`;
    this.#faults.add(path, 'unknown_field', 'There is no such member; remove it.');
  }
}
