import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { chart, type Manifest, render } from './helm.js';

/** One way to use the chart: the defaults, or a file of charts/weir/ci. */
export interface Variant {
  readonly name: string;
  readonly args: readonly string[];
}

const suffix = '-values.yaml';

/** The ways that are tested. */
export const variants: readonly Variant[] = [
  { name: 'defaults', args: [] },
  ...readdirSync(join(chart, 'ci'))
    .filter((file) => file.endsWith(suffix))
    .sort()
    .map((file) => ({ name: file.slice(0, -suffix.length), args: ['--values', join(chart, 'ci', file)] })),
];

const rendered = new Map<string, readonly Manifest[]>();

/** What a variant makes; rendered once. */
export function manifestsOf(variant: Variant): readonly Manifest[] {
  const known = rendered.get(variant.name) ?? render(...variant.args);
  rendered.set(variant.name, known);
  return known;
}

/** The variant of a name. */
export function variantOf(name: string): Variant {
  const found = variants.find((variant) => variant.name === name);
  if (found === undefined) throw new Error(`there is no charts/weir/ci/${name}${suffix}`);
  return found;
}
