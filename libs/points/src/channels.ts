import { noString } from './layout.js';

/** The channels of a batch and the strings that they name, numbered in the order of their coming. */
export class Channels {
  readonly strings: string[] = [];
  /** Site, instrument and variable of each channel, as numbers of strings. */
  readonly names: number[] = [];
  readonly #numbers = new Map<string, number>();

  /** Adds a channel that is not there yet, and answers its number. */
  add(siteId: string | undefined, instrumentName: string, variableName: string): number {
    const site = siteId === undefined ? noString : this.#string(siteId);
    return this.names.push(site, this.#string(instrumentName), this.#string(variableName)) / 3 - 1;
  }

  #string(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.strings.push(text) - 1;
      this.#numbers.set(text, number);
    }
    return number;
  }
}
