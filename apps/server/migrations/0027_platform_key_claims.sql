-- A keyed request that has to wait for somebody else claims its key first and holds no transaction meanwhile. Until it
-- is answered, `status` is null; when `leased_until` has passed, the same request takes the claim over.
alter table platform.kept_answers
  alter column status drop not null,
  alter column headers drop not null,
  -- The same for everybody who takes the claim over.
  add column claim_id uuid,
  -- Raised by each takeover: whoever was slow can neither answer nor write any more.
  add column claim_epoch int,
  add column leased_until timestamptz,
  -- Steps of this claim that are committed and are not repeated.
  add column steps text[] not null default '{}',
  add constraint kept_answers_answered_or_claimed
    check (case when status is null then claim_id is not null and claim_epoch is not null and leased_until is not null
                else headers is not null end);
