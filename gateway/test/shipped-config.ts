import { type ConfigOf, parseConfig } from '@weir/kit/config';
import { settings } from '../src/config.js';

/** The configuration that a gateway is shipped with, for tests of its document: services stand nowhere. */
export function shippedConfig(env: Readonly<Record<string, string>> = {}): ConfigOf<typeof settings> {
  return parseConfig(settings, {
    CURSOR_KEYS: Buffer.alloc(32).toString('base64'),
    REDIS_URL: 'redis://nowhere',
    ACCESS_ADDRESS: 'nowhere:1',
    VARIABLES_ADDRESS: 'nowhere:1',
    DASHBOARDS_ADDRESS: 'nowhere:1',
    PARSERS_ADDRESS: 'nowhere:1',
    INGESTION_ADDRESS: 'nowhere:1',
    OBSERVATIONS_ADDRESS: 'nowhere:1',
    ...env,
  });
}
