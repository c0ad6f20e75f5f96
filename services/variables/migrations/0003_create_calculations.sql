-- A step function of time, for calculations of its instrument.
create table variables.constants (
  project_id uuid not null,
  id uuid not null,
  instrument_id uuid not null,
  name text collate "C" not null constraint constants_name_check check (char_length(name) between 1 and 256),
  alias text collate "C" not null constraint constants_alias_check check (alias ~ '^[A-Za-z_][A-Za-z0-9_]{0,63}$'),
  unit text constraint constants_unit_check check (char_length(unit) <= 4096),
  revision integer not null default 1 constraint constants_revision_check check (revision >= 1),
  created_at timestamptz not null default statement_timestamp(),
  created_by jsonb not null,
  updated_at timestamptz not null default statement_timestamp(),
  updated_by jsonb not null,
  archived_at timestamptz,
  archived_by jsonb,
  constraint constants_pkey primary key (id, project_id),
  constraint constants_project_id_instrument_id_fkey foreign key (project_id, instrument_id)
    references variables.instruments (project_id, id),
  constraint constants_archived_check check ((archived_at is null) = (archived_by is null))
);

create unique index constants_instrument_id_name_key
  on variables.constants (instrument_id, name) where archived_at is null;
-- for pages of an instrument's constants, in order of creation
create index constants_instrument_id_id_idx on variables.constants (instrument_id, id) where revision >= 1;

create table variables.constant_values (
  project_id uuid not null,
  constant_id uuid not null,
  start_at timestamptz not null,
  value double precision not null
    constraint constant_values_value_check check (value > '-infinity' and value < 'infinity'),
  constraint constant_values_pkey primary key (constant_id, start_at),
  constraint constant_values_project_id_constant_id_fkey foreign key (project_id, constant_id)
    references variables.constants (project_id, id)
);

-- What names an active variable or constant in expressions: each alias once for both of an instrument.
-- Triggers alone keep it, so that no statement that writes variables or constants can forget it.
create table variables.aliases (
  instrument_id uuid not null,
  alias text collate "C" not null,
  constraint aliases_pkey primary key (instrument_id, alias)
);

insert into variables.aliases (instrument_id, alias)
select instrument_id, alias from variables.variables where archived_at is null;

-- its work is done by variables.aliases
drop index variables.variables_alias_instrument_id_key;

create function variables.keep_alias() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'UPDATE' and old.archived_at is null then
    delete from variables.aliases where instrument_id = old.instrument_id and alias = old.alias;
  end if;
  if new.archived_at is null then
    insert into variables.aliases (instrument_id, alias) values (new.instrument_id, new.alias);
  end if;
  return null;
end $$;

create trigger variables_alias_inserted after insert on variables.variables
  for each row execute function variables.keep_alias();
create trigger variables_alias_updated after update of alias, archived_at on variables.variables
  for each row when (old.alias <> new.alias or (old.archived_at is null) <> (new.archived_at is null))
  execute function variables.keep_alias();
create trigger constants_alias_inserted after insert on variables.constants
  for each row execute function variables.keep_alias();
create trigger constants_alias_updated after update of alias, archived_at on variables.constants
  for each row when (old.alias <> new.alias or (old.archived_at is null) <> (new.archived_at is null))
  execute function variables.keep_alias();

-- The pieces of calculated variables in time.
create table variables.calculations (
  project_id uuid not null,
  variable_id uuid not null,
  id text collate "C" not null constraint calculations_id_check check (id ~ '^[A-Za-z0-9_-]{21}$'),
  start_at timestamptz not null,
  expression text not null
    constraint calculations_expression_check check (char_length(expression) between 1 and 4096),
  editor_tokens jsonb not null
    constraint calculations_editor_tokens_check check (jsonb_typeof(editor_tokens) = 'array'),
  constraint calculations_pkey primary key (variable_id, id, project_id),
  constraint calculations_variable_id_start_at_key unique (variable_id, start_at),
  constraint calculations_project_id_variable_id_fkey foreign key (project_id, variable_id)
    references variables.variables (project_id, id)
);

-- What calculations read. What is read is found by its reader, and the reader by what it reads.
create table variables.calculation_inputs (
  project_id uuid not null,
  variable_id uuid not null,
  calculation_id text collate "C" not null,
  id text collate "C" not null constraint calculation_inputs_id_check check (id ~ '^[A-Za-z0-9_-]{21}$'),
  position smallint not null,
  kind text not null,
  input_variable_id uuid,
  constant_id uuid,
  source_instrument_id uuid,
  past_buffer_s double precision
    constraint calculation_inputs_past_buffer_s_check check (past_buffer_s > 0 and past_buffer_s <= 31622400),
  constraint calculation_inputs_pkey primary key (variable_id, calculation_id, id),
  constraint calculation_inputs_project_id_variable_id_calculation_id_fkey
    foreign key (project_id, variable_id, calculation_id)
    references variables.calculations (project_id, variable_id, id) on delete cascade,
  constraint calculation_inputs_project_id_input_variable_id_fkey foreign key (project_id, input_variable_id)
    references variables.variables (project_id, id),
  constraint calculation_inputs_project_id_constant_id_fkey foreign key (project_id, constant_id)
    references variables.constants (project_id, id),
  constraint calculation_inputs_project_id_source_instrument_id_fkey foreign key (project_id, source_instrument_id)
    references variables.instruments (project_id, id),
  constraint calculation_inputs_input_variable_id_check check (input_variable_id <> variable_id),
  constraint calculation_inputs_kind_check check (
    case kind
      when 'self_variable' then
        input_variable_id is not null and constant_id is null and source_instrument_id is null
      when 'instrument_variable' then
        input_variable_id is not null and constant_id is null and source_instrument_id is not null
      when 'constant' then
        input_variable_id is null and constant_id is not null and source_instrument_id is null
        and past_buffer_s is null
      else false
    end
  )
);

create index calculation_inputs_input_variable_id_idx
  on variables.calculation_inputs (input_variable_id) where input_variable_id is not null;
create index calculation_inputs_constant_id_idx
  on variables.calculation_inputs (constant_id) where constant_id is not null;
create index calculation_inputs_source_instrument_id_idx
  on variables.calculation_inputs (source_instrument_id) where source_instrument_id is not null;

-- Batch recalculations. The id of a run begins with the time of its creation, and orders a project's runs.
create table variables.recalculations (
  project_id uuid not null,
  run_id uuid not null,
  state text not null
    constraint recalculations_state_check check (state in ('queued', 'running', 'succeeded', 'failed')),
  cause_kind text not null
    constraint recalculations_cause_kind_check
      check (cause_kind in ('calculated_variable', 'calibration_constant', 'instrument')),
  cause_id uuid not null,
  created_by jsonb not null,
  finished_at timestamptz,
  constraint recalculations_pkey primary key (project_id, run_id),
  constraint recalculations_finished_at_check
    check ((finished_at is not null) = (state in ('succeeded', 'failed')))
);

create index recalculations_state_project_id_run_id_idx on variables.recalculations (state, project_id, run_id);

-- What a recalculation has to compute: half-open ranges of calculated variables, at the generation of
-- their configuration that it was made for.
create table variables.recalculation_ranges (
  project_id uuid not null,
  run_id uuid not null,
  variable_id uuid not null,
  start_at timestamptz not null,
  end_at timestamptz not null,
  configuration_generation integer not null,
  constraint recalculation_ranges_pkey primary key (run_id, variable_id, start_at),
  constraint recalculation_ranges_project_id_run_id_fkey foreign key (project_id, run_id)
    references variables.recalculations (project_id, run_id),
  constraint recalculation_ranges_project_id_variable_id_fkey foreign key (project_id, variable_id)
    references variables.variables (project_id, id),
  constraint recalculation_ranges_start_at_check check (start_at < end_at)
);

grant select on variables.aliases to weir_variables;
grant select, insert, update on variables.constants, variables.recalculations to weir_variables;
grant select, insert, update, delete on variables.constant_values to weir_variables;
grant select, insert, delete on variables.calculations to weir_variables;
grant select, insert on variables.calculation_inputs, variables.recalculation_ranges to weir_variables;
