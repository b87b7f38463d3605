-- The interface tells a hire of another workspace from one that there is not. Tells that and nothing else.
create function hires.is_anywhere(hire uuid) returns boolean
  language plpgsql as $$
declare
  before text := current_setting('app.system', true);
  found_one boolean;
begin
  perform set_config('app.system', 'on', true);
  select exists (select from hires.hires h where h.id = hire) into found_one;
  perform set_config('app.system', coalesce(before, ''), true);
  return found_one;
end $$;

-- For `verify-data`.
create function hires.count_references(brand int, hire uuid) returns int
  language sql stable as $$
  select count(*)::int from marketplace.install_refs r where r.brand_id = brand and r.hire_id = hire
$$;

-- Set once it is gone. The row stays for a while, because a worker that slept may put the directory back.
alter table hires.removals add column removed_at timestamptz;
