export { freeTextCharactersMax, nameCharactersMax, normalizeFreeText, normalizeName } from './normalize.js';
