export { auditEntries } from './entries.js';
export { listEntries } from './list-entries.js';
