import type { ProjectRecord } from '@weir/kit/records';

/** What every record of the catalog carries; archived it is itself, or else by what it belongs to. */
export interface CatalogRecord extends ProjectRecord {
  /** Its own state, which a restored parent brings back. */
  readonly isArchivedItself: boolean;
  /** Whether what it belongs to is archived. */
  readonly isParentArchived: boolean;
}
