-- A run that is queued again is told by its epoch: who retries it twice leaves `retried_by` as it was, and the second
-- time was kept as an update. One function for all schemas, so each that has it gets it.

-- Arguments: what the record is called, and the columns that name it. A statement whose row does not say who it was
-- sets weir.actor.
create or replace function ingestion.audit_change() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  before jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) else '{}' end;
  after jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) else to_jsonb(old) end;
begin
  insert into ingestion.audit_entries
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
      when before -> 'queued_epoch' is distinct from after -> 'queued_epoch' then 'retried'
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
