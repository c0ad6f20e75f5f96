-- Rises with every change to what calculated variables of the project compute; of two definitions of one variable
-- the one that was read at the higher version is the newer.
alter table variables.catalogs add column calculation_version bigint not null default 0;

-- What processors have not taken over yet: that a calculated variable is computed in another way, again or no longer,
-- or that a recalculation is over. Acknowledged rows are deleted. Ids of one project rise as its changes are committed.
create table variables.calculation_changes (
  id bigint generated always as identity constraint calculation_changes_id_pkey primary key,
  project_id uuid not null,
  variable_id uuid,
  -- what is to be computed again stands in recalculation_ranges; null: nothing
  run_id uuid,
  -- how many changes the run has
  run_changes integer not null default 0,
  cancelled_run_id uuid,
  constraint calculation_changes_project_id_variable_id_fkey foreign key (project_id, variable_id)
    references variables.variables (project_id, id),
  constraint calculation_changes_cancelled_run_id_check check ((variable_id is null) = (cancelled_run_id is not null))
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);

alter table variables.recalculations
  add column error_code text,
  add column cancelled_by jsonb,
  -- as it was reported last
  add column ranges_total bigint not null default 0,
  add column ranges_done bigint not null default 0,
  add column ranges_skipped bigint not null default 0,
  add column instants_total bigint not null default 0,
  add column instants_done bigint not null default 0,
  add column missing jsonb not null default '{}' constraint recalculations_missing_check check (jsonb_typeof(missing) = 'object'),
  add constraint recalculations_error_code_check check (error_code is null or state = 'failed'),
  drop constraint recalculations_cause_kind_check,
  add constraint recalculations_cause_kind_check
    check (cause_kind in ('calculated_variable', 'calibration_constant', 'instrument', 'operator'));

-- rows of runs that go on are written often
alter table variables.recalculations set (fillfactor = 70);

-- for operators, who see the runs of all projects; no other statement says what `ranges_total` always is
create index recalculations_run_id_idx on variables.recalculations (run_id) where ranges_total >= 0;
create index recalculations_state_run_id_idx on variables.recalculations (state, run_id) where ranges_total >= 0;

-- Triggers alone write changes, so that no statement can forget them, nor a process of the release before while it
-- still runs. All that changes a catalog holds its row in `catalogs`.
create function variables.announce_recalculation() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into variables.calculation_changes (project_id, variable_id, run_id, run_changes)
  select project_id, variable_id, run_id, count(*) over (partition by run_id)
  from (select distinct project_id, variable_id, run_id from added) as change
  order by run_id, variable_id;
  update variables.recalculations as run set ranges_total = run.ranges_total + added_to.ranges
  from (select project_id, run_id, count(*) as ranges from added group by project_id, run_id) as added_to
  where run.project_id = added_to.project_id and run.run_id = added_to.run_id;
  update variables.catalogs set calculation_version = calculation_version + 1
  where project_id in (select project_id from added);
  return null;
end $$;

create function variables.announce_archived_variable() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into variables.calculation_changes (project_id, variable_id) values (new.project_id, new.id);
  update variables.catalogs set calculation_version = calculation_version + 1 where project_id = new.project_id;
  return null;
end $$;

create function variables.announce_archived_instrument() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into variables.calculation_changes (project_id, variable_id)
  select project_id, id
  from variables.variables
  where project_id = new.project_id and instrument_id = new.id and revision >= 1
    and variable_type = 'calculated' and archived_at is null
  order by id;
  if found then
    update variables.catalogs set calculation_version = calculation_version + 1 where project_id = new.project_id;
  end if;
  return null;
end $$;

create trigger recalculation_ranges_announced after insert on variables.recalculation_ranges
  referencing new table as added
  for each statement execute function variables.announce_recalculation();
create trigger variables_archived after update of archived_at on variables.variables
  for each row when (new.variable_type = 'calculated' and old.archived_at is null and new.archived_at is not null)
  execute function variables.announce_archived_variable();
create trigger instruments_archived after update of archived_at on variables.instruments
  for each row when (old.archived_at is null and new.archived_at is not null)
  execute function variables.announce_archived_instrument();

-- What the release before has left: its runs that wait, the oldest first, and the variables that no run will compute.
insert into variables.calculation_changes (project_id, variable_id, run_id, run_changes)
select project_id, variable_id, run_id, count(*) over (partition by run_id)
from (
  select distinct range.project_id, range.variable_id, range.run_id
  from variables.recalculations as run
  join variables.recalculation_ranges as range on range.run_id = run.run_id and range.project_id = run.project_id
  where run.state in ('queued', 'running')
) as change
order by run_id, variable_id;

insert into variables.calculation_changes (project_id, variable_id)
select variable.project_id, variable.id
from variables.variables as variable
where variable.variable_type = 'calculated'
  and exists (select from variables.calculations as calculation where calculation.variable_id = variable.id)
  and not exists (select from variables.calculation_changes as change where change.variable_id = variable.id)
order by variable.id;

update variables.catalogs set calculation_version = 1
where project_id in (select project_id from variables.calculation_changes);

update variables.recalculations as run set ranges_total = counted.ranges
from (
  select project_id, run_id, count(*) as ranges from variables.recalculation_ranges group by project_id, run_id
) as counted
where run.project_id = counted.project_id and run.run_id = counted.run_id;

grant select, insert, delete on variables.calculation_changes to weir_variables;
