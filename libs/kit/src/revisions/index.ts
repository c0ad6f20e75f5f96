export { checkRevision, type SavedRevision } from './revisions.js';
