export {
  freeTextCharactersMax,
  nameCharactersMax,
  namePattern,
  normalizeFreeText,
  normalizeName,
  normalizeTitle,
  titlePattern,
} from './normalize.js';
