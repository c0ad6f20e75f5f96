export {
  freeTextCharactersMax,
  nameCharactersMax,
  normalizeFreeText,
  normalizeName,
  normalizeTitle,
} from './normalize.js';
