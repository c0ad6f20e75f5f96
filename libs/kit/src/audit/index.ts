export { type AuditEntry, type AuditedService, type AuditPage, auditEntries, auditedServices } from './entries.js';
export { listEntries } from './list-entries.js';
