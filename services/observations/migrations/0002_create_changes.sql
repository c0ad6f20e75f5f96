-- What was written: a row a transaction and variable, with the range of the instants that it wrote or deleted.
-- `xid` is the transaction's number, as a bigint since no BRIN index takes an xid8. A transaction that a
-- snapshot does not see has a number at or above the snapshot's xmin, whatever the order of commits, so
-- "changes from this xmin on" misses none (docs/decisions/0021-a-change-mark-is-the-xmin-of-a-snapshot.md).
create table observations.changes (
  variable_key bigint not null,
  xid bigint not null default pg_current_xact_id()::text::bigint,
  first_at timestamptz not null,
  last_at timestamptz not null,
  constraint changes_first_at_last_at_check check (first_at <= last_at)
) with (autovacuum_vacuum_insert_scale_factor = 0.02);

create index changes_variable_key_xid_idx on observations.changes (variable_key, xid);
-- rows come in almost the order of xid, so that the purge of old ones finds them by this
create index changes_xid_idx on observations.changes using brin (xid) with (pages_per_range = 32, autosummarize = on);

-- When numbers of transactions were reached: changes before the first of these are kept no longer.
create table observations.change_horizons (
  xid bigint constraint change_horizons_xid_pkey primary key,
  reached_at timestamptz not null
);
insert into observations.change_horizons (xid, reached_at)
values (pg_snapshot_xmin(pg_current_snapshot())::text::bigint, now());

grant select, insert, delete on observations.changes, observations.change_horizons to weir_observations;
grant select on observations.changes, observations.change_horizons to weir_observations_query;
