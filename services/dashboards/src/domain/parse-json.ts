import type { Faults } from '@weir/kit/faults';

/** The value of a JSON text. */
export function parseJson(text: string, path: string, faults: Faults): unknown {
  try {
    return JSON.parse(text);
  } catch {
    faults.add(path, 'invalid_json', 'Give valid JSON.');
    return undefined;
  }
}
