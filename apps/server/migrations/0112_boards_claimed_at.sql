-- Since when a card is worked on: the order of *Working now*, which heartbeats do not change. By triggers, so that claims of
-- the version which still runs during a release have it, too.
alter table boards.cards add column claimed_at timestamptz;
create function boards.note_claim() returns trigger language plpgsql as $$
begin
  new.claimed_at := case when new.claim_id is not null then platform.clock_now() end;
  return new;
end $$;
create trigger claim_noted before update of claim_id on boards.cards for each row
  when (new.claim_id is distinct from old.claim_id) execute function boards.note_claim();
create trigger claim_noted_at_once before insert on boards.cards for each row
  when (new.claim_id is not null) execute function boards.note_claim();

select set_config('app.system', 'on', true);
update boards.cards set claimed_at = platform.now() where claim_id is not null;
select set_config('app.system', '', true);
