/** One secret of a key or connection; a live one holds slot 1 or 2. */
export interface Secret {
  readonly id: string;
  readonly slot: number;
  /** Last four characters of the key's text. */
  readonly hint: string;
  readonly createdAtUs: number;
  readonly revokedAtUs?: number | undefined;
}

/** A Developer API key. */
export interface DeveloperKey {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly createdAtUs: number;
  readonly expiresAtUs?: number | undefined;
  readonly lastUsedAtUs?: number | undefined;
  readonly revokedAtUs?: number | undefined;
  readonly secrets: readonly Secret[];
}

/** What becomes of an instrument or variable that a point names and nobody made. */
export const provisionings = ['automatic', 'strict'] as const;
export type Provisioning = (typeof provisionings)[number];

/** An ingestion connection. */
export interface Connection {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly provisioning: Provisioning;
  readonly enabled: boolean;
  readonly createdAtUs: number;
  readonly expiresAtUs?: number | undefined;
  readonly lastUsedAtUs?: number | undefined;
  readonly secrets: readonly Secret[];
}
