-- What automation may do to memories: where each came from, what waits for a person, and what must not come back.

-- A label, and no foreign key: what has taken the place of a memory may be deleted later.
alter table memory.memories add column superseded_by uuid;

-- Texts that a person has deleted, corrected or rejected. One memory can have several corrected ones.
alter table memory.tombstones
  add column cause text not null default 'deleted',
  -- The change whose `before` has the text, for as long as the history is kept.
  add column version int,
  add constraint tombstones_cause_known check (cause in ('deleted', 'corrected', 'rejected')),
  drop constraint tombstones_pkey,
  add constraint tombstones_pkey primary key (brand_id, memory_id, text_hash);
create index tombstones_of_agent on memory.tombstones (brand_id, agent_id, created_at desc, memory_id);

-- The evidence of a memory: one row for each conversation that said it. No foreign key: a deleted memory is brought back
-- with its evidence, and the sweep of the history takes both.
create table memory.provenance (
  brand_id        int         not null,
  memory_id       uuid        not null,
  n               int         not null,
  conversation_id uuid        not null,
  source_id       uuid        not null,
  source_type     text        not null,
  decision        text        not null,
  -- The memory that was superseded, or that it conflicts with.
  other_memory_id uuid,
  message_seqs    int[]       not null,
  quote           text        not null,
  model           text        not null,
  prompt_version  int         not null,
  created_at      timestamptz not null default platform.now(),
  constraint provenance_pkey primary key (brand_id, memory_id, n),
  constraint provenance_brand_fkey foreign key (brand_id) references identity.brands (id),
  constraint provenance_once unique (brand_id, memory_id, conversation_id),
  constraint provenance_decision_known check (decision in ('new', 'same', 'supersedes', 'conflicts')),
  constraint provenance_quote_length check (char_length(quote) <= 300),
  constraint provenance_seqs_count check (cardinality(message_seqs) <= 100)
);
create index provenance_of_conversation on memory.provenance (brand_id, conversation_id, memory_id);
create index provenance_of_source on memory.provenance (brand_id, source_id, memory_id);

-- What automation must not do by itself and a person decides.
create table memory.proposals (
  brand_id        int         not null,
  id              uuid        not null,
  agent_id        text        not null,
  kind            text        not null,
  reason          text        not null,
  memory_id       uuid,
  other_memory_id uuid,
  content         jsonb       not null,
  -- Of what is proposed, so that the same is asked once.
  digest          bytea       not null,
  -- Of the memory's text when a change was proposed: a change of another text is not what the person has seen.
  base_hash       bytea,
  origin          jsonb,
  state           text        not null default 'open',
  kept            text,
  made_memory_id  uuid,
  decided_by      jsonb,
  decided_at      timestamptz,
  created_at      timestamptz not null default platform.now(),
  constraint proposals_pkey primary key (brand_id, id),
  constraint proposals_agent_fkey foreign key (brand_id, agent_id) references identity.agents (brand_id, agent_id),
  constraint proposals_kind_known check (kind in ('new', 'change', 'conflict')),
  constraint proposals_state_known check (state in ('open', 'approved', 'rejected')),
  constraint proposals_kept_known check (kept in ('old', 'new', 'both')),
  constraint proposals_names_memory check (kind = 'new' or memory_id is not null),
  constraint proposals_decided check ((state = 'open') = (decided_at is null))
);
create unique index proposals_open_once on memory.proposals (brand_id, agent_id, digest) where state = 'open';
create index proposals_digest on memory.proposals (brand_id, agent_id, digest, state);
create index proposals_of_brand on memory.proposals (brand_id, state, kind, id);
create index proposals_of_agent on memory.proposals (brand_id, agent_id, state, kind, id);
create index proposals_of_memory on memory.proposals (brand_id, memory_id);
create index proposals_of_other on memory.proposals (brand_id, other_memory_id);
create index proposals_of_conversation on memory.proposals (brand_id, (origin ->> 'conversation_id')) where state = 'open';
create index proposals_of_source on memory.proposals (brand_id, (origin ->> 'source_id')) where state = 'open';
create index proposals_decided_at on memory.proposals (decided_at) where state <> 'open';

do $$
declare name text;
begin
  foreach name in array array['provenance', 'proposals'] loop
    execute format('alter table memory.%I enable row level security', name);
    execute format('alter table memory.%I force row level security', name);
    execute format('create policy tenant on memory.%I using (brand_id = (select platform.current_brand()))
      with check (brand_id = (select platform.current_brand()))', name);
    execute format('create policy system on memory.%I using ((select platform.is_system()))
      with check ((select platform.is_system()))', name);
    execute format('create constraint trigger commit_limit after insert or update or delete on memory.%I
      deferrable initially deferred for each row
      when (platform.has_commit_limit()) execute function platform.check_commit_limit()', name);
  end loop;
end $$;
