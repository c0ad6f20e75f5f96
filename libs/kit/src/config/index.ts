export { ConfigError, type ConfigOf, parseConfig, printConfig, type Settings } from './parse.js';
export {
  address,
  base64Key,
  boolean,
  type Grammar,
  integer,
  list,
  oneOf,
  type Setting,
  text,
  url,
} from './setting.js';
export {
  dashboardLimits,
  natsSettings,
  parserLimits,
  peerSettings,
  postgresSettings,
  processSettings,
  queryLimits,
  serverSettings,
  serviceAddress,
} from './shared.js';
