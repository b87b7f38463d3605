-- Tells one bit about a person, which a workspace needs before it may set their password: whether another workspace
-- shares a docs space with them.
create function docs_spaces.is_guest_elsewhere(person int, home int) returns boolean
  language plpgsql as $$
declare
  before text := current_setting('app.system', true);
  is_guest boolean;
begin
  perform set_config('app.system', 'on', true);
  select exists (select 1 from docs_spaces.guests g where g.person_id = person and g.brand_id <> home) into is_guest;
  perform set_config('app.system', coalesce(before, ''), true);
  return is_guest;
end $$;
