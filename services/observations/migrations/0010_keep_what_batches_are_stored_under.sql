-- The batches whose points a transaction has stored, and whose outcome is perhaps not told yet. An attempt that comes
-- again stores under the same variables, whatever their names mean by then
-- (docs/decisions/0008-a-message-that-comes-again-is-a-suspect.md). A row a transaction that stores points, written by
-- it and deleted by a later one, so that there are few.
create table observations.stored_batches (
  id uuid constraint stored_batches_id_pkey primary key,
  public_ids uuid[] not null,
  -- of each batch: the epoch that it was published under; empty where all were for the first time, as nearly always
  epochs integer[] not null,
  -- of each batch: by channel of its body, 16 bytes each, zeros where a channel has none
  variable_ids bytea[] not null,
  stored_at timestamptz not null default now(),
  constraint stored_batches_variable_ids_check check (cardinality(public_ids) = cardinality(variable_ids)),
  constraint stored_batches_epochs_check check (cardinality(epochs) in (0, cardinality(public_ids)))
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);

grant select, insert, delete on observations.stored_batches to weir_observations_tenant;
