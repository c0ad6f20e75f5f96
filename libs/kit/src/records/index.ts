/** What the edited records of a project have in common, in whatever service they are. */
export { type Actor, parseActor, parseChange } from './actor.js';
export {
  fromProjectId,
  nameTaken,
  type ProjectRecord,
  projectRecordColumns,
  requireActive,
  toRecordMessage,
  visible,
} from './project-record.js';
export { parseRecordPage, type RecordPage } from './record-page.js';
export { parseFreeText, parseName } from './texts.js';
