import { auditEntries } from '@weir/kit/audit';

/** What was changed in the records of this service, newest first. */
export const selectAuditEntries = auditEntries('dashboards');
