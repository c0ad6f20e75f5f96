-- A change that processors are told belongs to a recalculation of its own project. Without a look at the rows that are
-- there, which the next migration takes.
alter table variables.calculation_changes
  add constraint calculation_changes_project_id_run_id_fkey foreign key (project_id, run_id)
    references variables.recalculations (project_id, run_id) not valid,
  add constraint calculation_changes_project_id_cancelled_run_id_fkey foreign key (project_id, cancelled_run_id)
    references variables.recalculations (project_id, run_id) not valid;
