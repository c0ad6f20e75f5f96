export { PointsPacker } from './pack.js';
export type { Channel, Points } from './points.js';
export { PackedPointsError, packedCount, unpackPoints } from './unpack.js';
