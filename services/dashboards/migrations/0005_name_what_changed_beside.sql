-- Widgets of dashboards stand in tables of their own, which the row of their record does not show. The
-- statement that updates the record names them in weir.changed, a setting of its transaction, and the entry of that
-- update takes the name. A process of the release before sets nothing, and its entries are as they were.
create function dashboards.add_changed_beside() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.changed := array(select name from unnest(new.changed || current_setting('weir.changed')) as name order by name);
  perform set_config('weir.changed', '', true);
  return new;
end $$;

create trigger audit_entries_changed_beside before insert on dashboards.audit_entries
  for each row when (current_setting('weir.changed', true) <> '') execute function dashboards.add_changed_beside();
