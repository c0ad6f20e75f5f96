do $$ begin
  create role weir_dashboards nologin;
exception when duplicate_object or unique_violation then null;
end $$;

-- whoever migrates may be the login that services use; a role made by another login is theirs to grant
do $$ begin
  grant weir_dashboards to current_user;
exception when insufficient_privilege then null;
end $$;

-- Instants are those of statements: a transaction may begin before the change that it has to wait for.
-- What clients gave is json, not jsonb: it comes back with its members in their order.
-- Lists walk along the primary key: ids of one project are in the order of their creation.
create table dashboards.dashboards (
  project_id uuid not null,
  id uuid not null,
  name text collate "C" not null constraint dashboards_name_check check (char_length(name) between 1 and 256),
  description text not null default '' constraint dashboards_description_check check (char_length(description) <= 4096),
  time_range json constraint dashboards_time_range_check check (json_typeof(time_range) = 'object'),
  -- written with the widgets, so that lists need not count them
  widget_count integer not null constraint dashboards_widget_count_check check (widget_count >= 0),
  revision integer not null default 1 constraint dashboards_revision_check check (revision >= 1),
  created_at timestamptz not null default statement_timestamp(),
  created_by jsonb not null,
  updated_at timestamptz not null default statement_timestamp(),
  updated_by jsonb not null,
  archived_at timestamptz,
  archived_by jsonb,
  constraint dashboards_pkey primary key (project_id, id),
  constraint dashboards_archived_check check ((archived_at is null) = (archived_by is null))
);

create unique index dashboards_project_id_name_key on dashboards.dashboards (project_id, name)
  where archived_at is null;

create table dashboards.widgets (
  project_id uuid not null,
  dashboard_id uuid not null,
  id text collate "C" not null constraint widgets_id_check check (id ~ '^[A-Za-z0-9_-]{21}$'),
  -- its place in the set as it was saved
  position integer not null constraint widgets_position_check check (position >= 1),
  type text not null,
  title text not null constraint widgets_title_check check (char_length(title) <= 256),
  layout json not null constraint widgets_layout_check check (json_typeof(layout) = 'object'),
  configuration json not null constraint widgets_configuration_check check (json_typeof(configuration) = 'object'),
  constraint widgets_pkey primary key (project_id, dashboard_id, id),
  constraint widgets_project_id_dashboard_id_fkey foreign key (project_id, dashboard_id)
    references dashboards.dashboards (project_id, id)
);

grant usage on schema dashboards to weir_dashboards;
grant select on dashboards.migrations to weir_dashboards;
grant select, insert, update on dashboards.dashboards to weir_dashboards;
-- a set of widgets is replaced whole
grant select, insert, delete on dashboards.widgets to weir_dashboards;
