export { type AuditEntry, type AuditPage, auditEntries } from './entries.js';
export { listEntries } from './list-entries.js';
