import { addIssues, type Faults, parseJson } from '@weir/kit/faults';
import { defaultViewOptions, type ViewOptions, viewOptions } from '@weir/variable-shapes';

/** Reads view options from JSON text; empty text means the defaults. */
export function parseViewOptions(text: string, path: string, faults: Faults): ViewOptions {
  if (text === '') return defaultViewOptions;
  const json = parseJson(text, path, faults);
  if (json === undefined) return defaultViewOptions;
  const parsed = viewOptions.safeParse(json, { reportInput: true });
  if (parsed.success) return parsed.data;
  addIssues(parsed.error.issues, faults, path);
  return defaultViewOptions;
}
