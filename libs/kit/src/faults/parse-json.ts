import type { Faults } from './faults.js';

/** The value of a JSON text; a fault when it is none. */
export function parseJson(text: string, path: string, faults: Faults): unknown {
  try {
    return JSON.parse(text);
  } catch {
    faults.add(path, 'invalid_json', 'Give valid JSON.');
    return undefined;
  }
}
