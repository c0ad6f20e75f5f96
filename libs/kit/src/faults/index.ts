export { Faults } from './faults.js';
export { parseJson } from './parse-json.js';
export { pointerStep, pointerToken, shownName } from './pointer.js';
export { addIssues } from './schema-faults.js';
