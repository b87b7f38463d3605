-- As before, without the numeric that `extract` returns: statistics call this for every memory of a workspace.
create or replace function memory.effective_confidence(confidence float8, anchored_at timestamptz, importance text,
    at timestamptz) returns float8
  language sql immutable parallel safe
  return case
    when importance = 'critical' then confidence
    else confidence * power(0.98::float8, greatest(0, date_part('epoch', at - anchored_at)) / 604800)
  end;
