import { PointsPacker } from '@weir/points';
import { QueuedBatch } from '@weir/proto/ingestion';

/** A point of a test. */
export interface TestPoint {
  readonly atUs: number;
  readonly instrument?: string;
  readonly values: Readonly<Record<string, number>>;
}

/** The project of all tests that need no second one. */
export const projectId = '01920000-0000-7000-8000-00000000a000';
/** Now, as far as tests are concerned. */
export const startUs = Date.UTC(2026, 5, 1) * 1000;

/** Points in the packed form. */
export function packPoints(points: readonly TestPoint[]): Buffer {
  const packer = new PointsPacker();
  for (const { atUs, instrument, values } of points) {
    packer.beginPoint(atUs, undefined, instrument ?? 'Logger');
    for (const [name, value] of Object.entries(values)) packer.addValue(name, value);
  }
  return Buffer.from(packer.pack());
}

let lastId = 0;

/** A batch as ingestion publishes it, with an id that no other batch of the file has. */
export function queuedBatch(points: readonly TestPoint[], given: Partial<QueuedBatch> = {}): QueuedBatch {
  return QueuedBatch.fromPartial({
    id: ++lastId,
    projectId,
    connectionId: '01920000-0000-7000-8000-00000000c000',
    provisioning: 'automatic',
    body: packPoints(points),
    admittedAtUs: startUs,
    ...given,
  });
}

/** So many points of one variable, a second apart. */
export function manyPoints(count: number, fromUs: number, value = 0, name = 'level'): TestPoint[] {
  return Array.from({ length: count }, (_, i) => ({ atUs: fromUs + i * 1_000_000, values: { [name]: value + i } }));
}

/** Instants and values of the variable `level` of points, as they are stored. */
export function levelsOf(points: readonly TestPoint[]): (readonly [number, number | undefined])[] {
  return points.map(({ atUs, values }) => [atUs, values['level']]);
}
