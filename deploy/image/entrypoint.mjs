/**
 * The entry point of the image: `entrypoint.mjs <role> [argument…]` becomes the process of that role, telemetry loaded
 * before it. One process, so that signals reach it; no shell, so that the image needs none.
 */
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { roles } from './roles.mjs';

// a first process has no default for signals: one that comes before its role minds it, or to a role that never does, would be lost
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => process.listenerCount(signal) > 1 || process.exit(128 + constants.signals[signal]));
}

const root = new URL('../../', import.meta.url);
const [node, , role, ...args] = process.argv;
const [main, ...told] = Object.hasOwn(roles, role ?? '') ? roles[role] : [];

if (main === undefined) {
  process.stderr.write(`weir: give one of these as the command: ${Object.keys(roles).join(', ')}\n`);
  process.exit(64);
}

process.setSourceMapsEnabled(true);
process.env.TZ = 'UTC';
process.env.OTEL_SERVICE_NAME ??= `weir-${role}`;
process.argv = [node, fileURLToPath(new URL(main, root)), ...told, ...args];
if (!main.startsWith('cli/')) await import('@weir/kit/telemetry/preload');
await import(new URL(main, root).href);
