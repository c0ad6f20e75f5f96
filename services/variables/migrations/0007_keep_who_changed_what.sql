-- Who changed what and when, in the transaction that changed it: triggers alone write it, with the rights of the owner,
-- so that no statement can forget it, nor the service change what stands here
-- (docs/decisions/0043-triggers-keep-who-changed-what.md). Names of what was changed, never values: some are secret.
create table variables.audit_entries (
  id bigint generated always as identity constraint audit_entries_pkey primary key,
  at timestamptz not null default statement_timestamp(),
  project_id uuid,
  actor jsonb not null,
  action text collate "C" not null,
  record_type text collate "C" not null,
  record_id text collate "C" not null,
  revision_before integer,
  revision_after integer,
  changed text[] not null
);
create index audit_entries_project_id_id_idx on variables.audit_entries (project_id, id);

alter table variables.audit_entries enable row level security, force row level security;
do $$ begin
  execute format('create policy audit_entries_all_projects_policy on variables.audit_entries to weir_variables, %I using (true)', current_user);
end $$;
create policy audit_entries_project_policy on variables.audit_entries to weir_variables_tenant using (
  project_id = (select nullif(nullif(current_setting('weir.project_id', true), ''), '*')::uuid)
  or (select nullif(current_setting('weir.project_id', true) = '*', false)) is not null
);
grant select on variables.audit_entries to weir_variables, weir_variables_tenant;

-- Arguments: what the record is called, and the columns that name it. A statement whose row does not say who it was
-- sets weir.actor.
create function variables.audit_change() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  before jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) else '{}' end;
  after jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) else to_jsonb(old) end;
begin
  insert into variables.audit_entries
    (project_id, actor, action, record_type, record_id, revision_before, revision_after, changed)
  values (
    (after ->> 'project_id')::uuid,
    coalesce(
      nullif(current_setting('weir.actor', true), '')::jsonb,
      nullif(after -> 'revoked_by', 'null'), nullif(after -> 'cancelled_by', 'null'), nullif(after -> 'retried_by', 'null'),
      after -> 'updated_by', after -> 'created_by', after -> 'added_by', '{"type":"system","id":"database"}'
    ),
    case
      when tg_op = 'INSERT' then case when after ? 'added_by' then 'added' else 'created' end
      when tg_op = 'DELETE' then 'removed'
      when before ->> 'revoked_at' is null and after ->> 'revoked_at' is not null then 'revoked'
      when before -> 'cancelled_by' is distinct from after -> 'cancelled_by' then 'cancelled'
      when before -> 'retried_by' is distinct from after -> 'retried_by' then 'retried'
      when before ->> 'archived_at' is null and after ->> 'archived_at' is not null then 'archived'
      when before ->> 'archived_at' is not null and after ->> 'archived_at' is null then 'restored'
      else 'updated'
    end,
    tg_argv[0],
    (select string_agg(after ->> name, '/' order by at) from unnest(tg_argv[1:]) with ordinality as given (name, at)),
    case when tg_op = 'UPDATE' then (before ->> 'revision')::integer end,
    case when tg_op <> 'DELETE' then (after ->> 'revision')::integer end,
    case when tg_op = 'UPDATE' then array(
      select key from jsonb_each(after)
      where value is distinct from before -> key
        and key not in ('revision', 'updated_at', 'updated_by', 'archived_by', 'revoked_by', 'retried_by', 'cancelled_by')
      order by key
    ) else '{}' end
  );
  return null;
end $$;

create trigger sites_audited_insert after insert on variables.sites
  for each row execute function variables.audit_change('site', 'id');
create trigger sites_audited_update after update on variables.sites
  for each row when (old.revision <> new.revision) execute function variables.audit_change('site', 'id');
-- what points bring about is told by the records themselves: there are too many, and nobody decided each
create trigger instruments_audited_insert after insert on variables.instruments
  for each row when (new.created_by ->> 'type' <> 'system') execute function variables.audit_change('instrument', 'id');
create trigger instruments_audited_update after update on variables.instruments
  for each row when (old.revision <> new.revision) execute function variables.audit_change('instrument', 'id');
create trigger variables_audited_insert after insert on variables.variables
  for each row when (new.created_by ->> 'type' <> 'system') execute function variables.audit_change('variable', 'id');
create trigger variables_audited_update after update on variables.variables
  for each row when (old.revision <> new.revision) execute function variables.audit_change('variable', 'id');
create trigger groups_audited_insert after insert on variables.groups
  for each row execute function variables.audit_change('instrument_group', 'id');
create trigger groups_audited_update after update on variables.groups
  for each row when (old.revision <> new.revision) execute function variables.audit_change('instrument_group', 'id');
create trigger constants_audited_insert after insert on variables.constants
  for each row execute function variables.audit_change('calibration_constant', 'id');
create trigger constants_audited_update after update on variables.constants
  for each row when (old.revision <> new.revision) execute function variables.audit_change('calibration_constant', 'id');
create trigger group_members_audited_insert after insert on variables.group_members
  for each row execute function variables.audit_change('instrument_group_member', 'group_id', 'instrument_id');
create trigger group_members_audited_delete after delete on variables.group_members
  for each row execute function variables.audit_change('instrument_group_member', 'group_id', 'instrument_id');
create trigger recalculations_audited_insert after insert on variables.recalculations
  for each row when (new.cause_kind = 'operator') execute function variables.audit_change('recalculation', 'run_id');
create trigger recalculations_audited_update after update of cancelled_by on variables.recalculations
  for each row when (old.cancelled_by is distinct from new.cancelled_by) execute function variables.audit_change('recalculation', 'run_id');
