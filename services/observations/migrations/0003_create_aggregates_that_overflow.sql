-- PostgreSQL ends a statement when a sum leaves the range of a double; an aggregate that overflows is to be null.
-- These do what its own do, and answer NaN from there on. A statement uses them when one with its own failed:
-- each row costs a block with an exception handler.
create function observations.sum_or_nan(total double precision, value double precision) returns double precision
language plpgsql immutable strict parallel safe as $$
begin
  return total + value;
exception when numeric_value_out_of_range then
  return 'NaN';
end $$;

create aggregate observations.sum_or_nan(double precision) (sfunc = observations.sum_or_nan, stype = double precision);

-- count, sum and sum of squared differences, as stddev_samp keeps them
create function observations.deviation_or_nan(state double precision[], value double precision)
returns double precision[] language plpgsql immutable strict parallel safe as $$
begin
  return float8_accum(state, value);
exception when numeric_value_out_of_range then
  return array[state[1] + 1, 'NaN', 'NaN'];
end $$;

create aggregate observations.stddev_or_nan(double precision) (
  sfunc = observations.deviation_or_nan, stype = double precision[], initcond = '{0,0,0}', finalfunc = float8_stddev_samp
);

-- twice the area below the line from one value to the next
create function observations.area_or_nan(value double precision, next_value double precision, duration_us double precision)
returns double precision language plpgsql immutable strict parallel safe as $$
begin
  return (value + next_value) * duration_us;
exception when numeric_value_out_of_range then
  return 'NaN';
end $$;
