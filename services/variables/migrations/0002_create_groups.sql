create table variables.groups (
  project_id uuid not null,
  id uuid not null,
  name text collate "C" not null constraint groups_name_check check (char_length(name) between 1 and 256),
  description text not null default '' constraint groups_description_check check (char_length(description) <= 4096),
  revision integer not null default 1 constraint groups_revision_check check (revision >= 1),
  created_at timestamptz not null default statement_timestamp(),
  created_by jsonb not null,
  updated_at timestamptz not null default statement_timestamp(),
  updated_by jsonb not null,
  archived_at timestamptz,
  archived_by jsonb,
  constraint groups_pkey primary key (id, project_id),
  constraint groups_archived_check check ((archived_at is null) = (archived_by is null))
);

create unique index groups_project_id_name_key on variables.groups (project_id, name) where archived_at is null;
create index groups_project_id_id_idx on variables.groups (project_id, id) where revision >= 1;

-- `member_key` is the order in which members were added. Rows are added and removed, never changed.
create table variables.group_members (
  project_id uuid not null,
  group_id uuid not null,
  instrument_id uuid not null,
  member_key bigint generated always as identity,
  added_at timestamptz not null default statement_timestamp(),
  added_by jsonb not null,
  constraint group_members_pkey primary key (group_id, instrument_id),
  constraint group_members_project_id_group_id_fkey foreign key (project_id, group_id)
    references variables.groups (project_id, id),
  constraint group_members_project_id_instrument_id_fkey foreign key (project_id, instrument_id)
    references variables.instruments (project_id, id)
);

create index group_members_group_id_member_key_idx
  on variables.group_members (group_id, member_key) where member_key >= 1;

grant select, insert, update on variables.groups to weir_variables;
grant select, insert, delete on variables.group_members to weir_variables;
