import { type Faults, pointerStep } from '@weir/kit/faults';
import { z } from 'zod';

/**
 * How a variable is shown. Members that are left out take their defaults: shown, on a scale that
 * fits the data; `min`, `max` and `interval` (of the ticks) count only where `custom` is true.
 */
const viewOptions = z.strictObject({
  hide: z.boolean().default(false),
  graph: z
    .strictObject({
      scale: z
        .strictObject({
          min: z.number().default(0),
          max: z.number().default(100),
          interval: z.number().positive().default(10),
          custom: z.boolean().default(false),
        })
        .refine((scale) => !scale.custom || scale.min < scale.max, { message: 'min must be less than max' })
        .prefault({}),
    })
    .prefault({}),
});

/** `view_options` of a variable, filled in (specification 2.4). */
export type ViewOptions = z.output<typeof viewOptions>;

/** What a variable shows when nobody said. */
export const defaultViewOptions: ViewOptions = viewOptions.parse({});

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Reads view options from JSON text; empty text means the defaults. */
export function parseViewOptions(text: string, path: string, faults: Faults): ViewOptions {
  if (text === '') return defaultViewOptions;
  const json = parseJson(text);
  if (json === undefined) {
    faults.add(path, 'invalid_json', 'Give a JSON object.');
    return defaultViewOptions;
  }
  const result = viewOptions.safeParse(json.value);
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    const at = `${path}${issue.path.map((step) => pointerStep(String(step))).join('')}`;
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) faults.add(`${at}${pointerStep(key)}`, 'unknown_field', 'Remove this member.');
    } else faults.add(at, 'invalid_value', `${issue.message}.`);
  }
  return defaultViewOptions;
}
