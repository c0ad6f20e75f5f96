import type { Actor } from './parse-actor.js';

/** What every record of the catalog carries. */
export interface CatalogRecord {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly revision: number;
  /** Microseconds since 1970. */
  readonly createdAtUs: number;
  readonly updatedAtUs: number;
  /** The effective state: of the record itself, or else of what it belongs to. */
  readonly archivedAtUs?: number | undefined;
  readonly archivedBy?: Actor | undefined;
  /** Its own state, which a restored parent brings back. */
  readonly isArchivedItself: boolean;
  /** Whether what it belongs to is archived. */
  readonly isParentArchived: boolean;
}
