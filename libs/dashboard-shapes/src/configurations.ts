import { normalizeFreeText } from '@weir/kit/text';
import { z } from 'zod';

const aggregations = [
  'mean',
  'min',
  'max',
  'sum',
  'count',
  'first',
  'last',
  'stddev',
  'median',
  'range',
  'p05',
  'p95',
  'time_weighted_mean',
  'none',
] as const;

const markdownCharactersMax = 65_536;

const reference = z.uuid({ error: 'Give an id as Weir answers it: a UUID.' }).toLowerCase();

const variableId = reference.meta({ description: 'Id of a variable of the project.' });
const instrumentId = reference.meta({ description: 'Id of an instrument of the project.' });
const groupId = reference.meta({ description: 'Id of an instrument group of the project.' });

/** -0 is kept as 0. */
const number = z.number().overwrite((value) => value + 0);

const color = z.string().regex(/^#[0-9a-fA-F]{6}$/, 'Give a colour as # and six hexadecimal digits, such as #1f77b4.');

const timeSeries = z.strictObject({
  series: z
    .array(
      z.strictObject({
        variable_id: variableId,
        aggregation: z
          .enum(aggregations)
          .default('mean')
          .meta({ description: 'What one point stands for; `none` shows raw observations.' }),
        axis: z.enum(['left', 'right']).default('left'),
        color: color.nullable().default(null).meta({ description: 'As #rrggbb; null leaves it to the client.' }),
        style: z.enum(['line', 'bar', 'points']).default('line'),
      }),
    )
    .min(1)
    .max(20),
});

const latestValue = z.strictObject({ variable_id: variableId });

const gauge = z
  .strictObject({
    variable_id: variableId,
    min: number,
    max: number,
    thresholds: z
      .array(z.strictObject({ value: number, color }))
      .max(20)
      .default([])
      .meta({ description: 'From each value on, the scale has its color.' }),
  })
  .refine(({ min, max }) => min < max, {
    message: 'min must be less than max.',
    path: ['min'],
    params: { code: 'invalid_range' },
  });

const table = z.strictObject({ variable_ids: z.array(variableId).min(1).max(50) });

const map = z.union([
  z.strictObject({ instrument_ids: z.array(instrumentId).min(1).max(100) }).meta({ title: 'Instruments' }),
  z.strictObject({ group_id: groupId }).meta({ title: 'A group of instruments' }),
]);

const text = z.strictObject({
  markdown: z
    .string()
    .refine((value) => normalizeFreeText(value, markdownCharactersMax) !== undefined, {
      message: `Give at most ${markdownCharactersMax} characters, none of them NUL.`,
      params: { code: 'invalid_text' },
    })
    .meta({ maxLength: markdownCharactersMax, description: 'CommonMark; raw HTML in it is never rendered.' }),
});

/** What a widget of each type is told. */
export const configurations = {
  time_series: timeSeries,
  latest_value: latestValue,
  gauge,
  table,
  map,
  text,
} as const;
