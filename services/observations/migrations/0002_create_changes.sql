-- What was written: a row a transaction and variable, with the range of the instants that it wrote or deleted.
-- `xid` is the number of the transaction (pg_current_xact_id).
create table observations.changes (
  variable_key bigint not null,
  xid bigint not null default pg_current_xact_id()::text::bigint,
  first_at timestamptz not null,
  last_at timestamptz not null,
  constraint changes_first_at_last_at_check check (first_at <= last_at)
) with (autovacuum_vacuum_insert_scale_factor = 0.02);

create index changes_variable_key_xid_idx on observations.changes (variable_key, xid);
-- Written at its end alone. A BRIN index would be smaller, and is read by bitmap scans only, which the fixed plans
-- of this schema do without (docs/decisions/0007-observations-are-read-by-fixed-plans.md).
create index changes_xid_idx on observations.changes (xid);

-- When numbers of transactions were reached: changes before the first of these are kept no longer.
create table observations.change_horizons (
  xid bigint constraint change_horizons_xid_pkey primary key,
  reached_at timestamptz not null
);
insert into observations.change_horizons (xid, reached_at)
values (pg_snapshot_xmin(pg_current_snapshot())::text::bigint, now());

-- Stands for what the calling statement can see: its snapshot. What a later reader looks for is the changes of
-- the transactions that are not in it, and so it misses none, whatever the order in which they began and
-- committed (docs/decisions/0021-a-change-mark-is-a-snapshot.md). On a standby the snapshot's list of
-- running transactions is always empty, so that none from the first running one on counts as seen; nor where
-- the list is long.
create function observations.change_mark() returns text language sql stable parallel safe as $$
  select case
    when pg_is_in_recovery() or length(pg_current_snapshot()::text) > 1000
      then format('%1$s:%1$s:', pg_snapshot_xmin(pg_current_snapshot()))
    else pg_current_snapshot()::text
  end
$$;

grant select, insert, delete on observations.changes, observations.change_horizons to weir_observations;
grant select on observations.changes, observations.change_horizons to weir_observations_query;
