export { createKey, type KeyKind, type NewKey, type ParsedKey, parseKey } from './keys.js';
