export { Channels } from './channels.js';
export { PointsPacker } from './pack.js';
export { packColumns } from './pack-columns.js';
export type { Channel, Points } from './points.js';
export { PackedPointsError, packedCount, unpackPoints } from './unpack.js';
