export { Faults } from './faults.js';
export { pointerStep, pointerToken, shownName } from './pointer.js';
export { addIssues } from './schema-faults.js';
