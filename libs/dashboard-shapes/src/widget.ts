import { shortIdPattern, shortIdRule } from '@weir/kit/ids';
import { nameCharactersMax, normalizeTitle, titlePattern } from '@weir/kit/text';
import { z } from 'zod';
import { configurations } from './configurations.js';

const columns = 24;

const id = z.string().regex(shortIdPattern, shortIdRule);

const title = z
  .string()
  .refine((text) => normalizeTitle(text) !== undefined, {
    message: `Give at most ${nameCharactersMax} characters, none a control character.`,
    params: { code: 'invalid_title' },
    abort: true,
  })
  .overwrite((text) => normalizeTitle(text) ?? '')
  .meta({
    maxLength: nameCharactersMax,
    pattern: titlePattern,
    description: 'Put into Unicode NFC and trimmed before it is measured; may be empty.',
  });

const layout = z
  .strictObject({
    x: z
      .int()
      .min(0)
      .max(columns - 1)
      .meta({ description: 'First column, from 0.' }),
    y: z.int().min(0).max(100_000).meta({ description: 'First row, from 0.' }),
    w: z.int().min(1).max(columns).meta({ description: 'Columns that it takes.' }),
    h: z.int().min(1).max(1000).meta({ description: 'Rows that it takes.' }),
  })
  .refine(({ x, w }) => x + w <= columns, {
    message: `x and w together must be at most ${columns}.`,
    path: ['w'],
    params: { code: 'out_of_range' },
  })
  .meta({ description: `A place on a grid of ${columns} columns; widgets may overlap.` });

/** A widget with members of its own beside those of all. */
function widgetWith<M extends z.core.$ZodLooseShape>(members: M) {
  const typed = <T extends keyof typeof configurations>(type: T) =>
    z.strictObject({
      ...members,
      type: z.literal(type),
      title: title.default(''),
      layout,
      configuration: configurations[type],
    });
  return z.discriminatedUnion('type', [
    typed('time_series'),
    typed('latest_value'),
    typed('gauge'),
    typed('table'),
    typed('map'),
    typed('text'),
  ]);
}

/** A widget as a client gives it. */
export const newWidget = widgetWith({
  id: id.optional().meta({ description: '21 characters, unique in the dashboard; made when left out.' }),
}).meta({ id: 'NewWidget' });
export type NewWidget = z.output<typeof newWidget>;

/** A widget as it is answered. */
export const savedWidget = widgetWith({ id, dashboard_id: z.uuid() }).meta({ id: 'Widget' });
export type SavedWidget = z.output<typeof savedWidget>;

/** The widgets of a dashboard: at most `max`, no id twice. */
export function widgetsOf(max: number) {
  return z
    .array(newWidget)
    .max(max)
    .superRefine((widgets, context) => {
      const seen = new Set<string>();
      for (const [index, widget] of widgets.entries()) {
        if (widget.id === undefined) continue;
        if (seen.has(widget.id)) {
          context.addIssue({
            code: 'custom',
            path: [index, 'id'],
            message: 'Another widget before has this id; give each its own.',
            params: { code: 'duplicate_id' },
          });
        }
        seen.add(widget.id);
      }
    });
}
