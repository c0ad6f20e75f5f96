-- That all rows keep to the links of the migration before; while it looks at them, readers and writers go on.
alter table variables.calculation_changes validate constraint calculation_changes_project_id_run_id_fkey;
alter table variables.calculation_changes validate constraint calculation_changes_project_id_cancelled_run_id_fkey;
