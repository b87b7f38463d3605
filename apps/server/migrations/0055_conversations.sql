create schema conversations;

-- Where conversations of an agent come from.
create table conversations.sources (
  brand_id      int         not null,
  id            uuid        not null,
  agent_id      text        not null,
  source_type   text        not null,
  -- Sealed as a whole: any setting may be a secret.
  config        bytea       not null,
  -- Who fetches: nobody where conversations are sent to us.
  reader        text,
  -- Where the reader continues, in its own words.
  position      text        not null default '',
  next_read_at  timestamptz,
  enabled       boolean     not null default true,
  paused_reason text,
  -- A number without a foreign key, and no name: people leave, and sources stay.
  created_by    int,
  created_at    timestamptz not null default platform.now(),
  updated_at    timestamptz not null default platform.now(),
  -- Out of sight at once; a sweep takes out its rows in batches.
  deleted_at    timestamptz,
  constraint sources_pkey primary key (brand_id, id),
  constraint sources_agent_fkey foreign key (brand_id, agent_id) references identity.agents (brand_id, agent_id),
  constraint sources_type_known check (source_type in ('openclaw', 'agentboard', 'claude_code')),
  constraint sources_reader_known check (reader in ('directory', 'boards')),
  constraint sources_reader_due check ((reader is null) = (next_read_at is null)),
  constraint sources_paused_reason_length check (char_length(paused_reason) <= 500),
  constraint sources_paused_reason_fits check (paused_reason is null or not enabled)
);
create index sources_of_agent on conversations.sources (brand_id, agent_id, id);
create index sources_of_brand on conversations.sources (brand_id, id) where deleted_at is null;
create index sources_to_read on conversations.sources (next_read_at)
  where reader is not null and enabled and deleted_at is null;
create index sources_deleted on conversations.sources (deleted_at) where deleted_at is not null;

-- One conversation. All that decides when it is read next lies here and not in a queue.
create table conversations.conversations (
  brand_id      int         not null,
  id            uuid        not null,
  source_id     uuid        not null,
  agent_id      text        not null,
  -- Its name where it comes from.
  external_id   text        not null,
  state         text        not null default 'waiting',
  -- Why it is held or has failed.
  reason        text,
  -- Failed ones in a row, and the number of the last one in the ledger.
  attempts      int         not null default 0,
  last_attempt  int         not null default 0,
  -- Attempts in a row that ended with their worker.
  losses        int         not null default 0,
  -- Also while it is read: then the end of the lease, so that one index has all that is due.
  next_try_at   timestamptz,
  lease_until   timestamptz,
  -- Raised by each claim; an attempt with an older one can write nothing.
  epoch         int         not null default 0,
  -- Messages received, among them those that the filter has dropped. Numbers begin at 0.
  message_count int         not null default 0,
  -- How many of them are part of a finished attempt.
  read_through  int         not null default 0,
  dropped       jsonb       not null default '{}',
  redacted      int         not null default 0,
  -- Texts expire; digests stay, so that nothing is read a second time.
  has_texts     boolean     not null default true,
  created_at    timestamptz not null default platform.now(),
  updated_at    timestamptz not null default platform.now(),
  constraint conversations_pkey primary key (brand_id, id),
  constraint conversations_source_fkey foreign key (brand_id, source_id)
    references conversations.sources (brand_id, id),
  constraint conversations_external_id_length check (char_length(external_id) between 1 and 500),
  constraint conversations_state_known check (state in ('waiting', 'reading', 'done', 'failed', 'held')),
  constraint conversations_due_fits check ((next_try_at is null) = (state in ('done', 'failed'))),
  constraint conversations_lease_fits check ((lease_until is null) = (state <> 'reading')),
  constraint conversations_read_through_fits check (read_through between 0 and message_count)
);
create unique index conversations_external_id on conversations.conversations (brand_id, source_id, external_id);
-- Lists of each state, newest first (ids are of version 7).
create index conversations_of_source on conversations.conversations (brand_id, source_id, state, id);
create index conversations_of_agent on conversations.conversations (brand_id, agent_id, state, id);
create index conversations_of_state on conversations.conversations (brand_id, state, id);
create index conversations_due on conversations.conversations (brand_id, source_id, next_try_at)
  where state in ('waiting', 'reading', 'held');
create index conversations_with_texts on conversations.conversations (updated_at)
  where has_texts and state in ('done', 'failed');

create table conversations.messages (
  brand_id        int   not null,
  conversation_id uuid  not null,
  seq             int   not null,
  native_id       text,
  role            text  not null,
  -- As the filter has left it, without secrets; null if it was dropped or has expired.
  text            text,
  -- Of role and text without secrets, also of dropped ones: what is sent again must be the same.
  digest          bytea not null,
  sent_at         timestamptz,
  constraint messages_pkey primary key (brand_id, conversation_id, seq),
  constraint messages_conversation_fkey foreign key (brand_id, conversation_id)
    references conversations.conversations (brand_id, id) on delete cascade,
  constraint messages_role_known check (role in ('person', 'agent', 'tool', 'system')),
  constraint messages_native_id_length check (char_length(native_id) <= 200),
  constraint messages_text_length check (char_length(text) <= 100000)
);

-- The ledger: a row for each time that a conversation was read.
create table conversations.attempts (
  brand_id        int         not null,
  conversation_id uuid        not null,
  number          int         not null,
  epoch           int         not null,
  started_at      timestamptz not null default platform.clock_now(),
  ended_at        timestamptz,
  outcome         text,
  -- The messages from the first up to, but without, the end.
  first_seq       int         not null,
  end_seq         int,
  calls           int         not null default 0,
  tokens_in       bigint      not null default 0,
  tokens_out      bigint      not null default 0,
  model           text,
  produced        int         not null default 0,
  rejected        int         not null default 0,
  error           text,
  constraint attempts_pkey primary key (brand_id, conversation_id, number),
  constraint attempts_conversation_fkey foreign key (brand_id, conversation_id)
    references conversations.conversations (brand_id, id) on delete cascade,
  constraint attempts_outcome_known check (outcome in ('finished', 'failed', 'held', 'lost')),
  constraint attempts_ended_fits check ((ended_at is null) = (outcome is null)),
  constraint attempts_error_length check (char_length(error) <= 500)
);

-- What an attempt made of each memory that the model has proposed.
create table conversations.candidates (
  brand_id        int  not null,
  conversation_id uuid not null,
  attempt         int  not null,
  n               int  not null,
  decision        text not null,
  reason          text,
  -- Ids without foreign keys: memories go, and the ledger stays.
  memory_id       uuid,
  other_memory_id uuid,
  constraint candidates_pkey primary key (brand_id, conversation_id, attempt, n),
  constraint candidates_attempt_fkey foreign key (brand_id, conversation_id, attempt)
    references conversations.attempts (brand_id, conversation_id, number) on delete cascade,
  constraint candidates_decision_known
    check (decision in ('new', 'same', 'supersedes', 'conflicts', 'rejected')),
  constraint candidates_reason_length check (char_length(reason) <= 200)
);

-- What reading has cost. Stays when a source is deleted: a new source must not begin a new day.
create table conversations.spend (
  brand_id  int    not null,
  day       date   not null,
  source_id uuid   not null,
  agent_id  text   not null,
  calls     int    not null default 0,
  tokens    bigint not null default 0,
  constraint spend_pkey primary key (brand_id, day, source_id),
  constraint spend_agent_fkey foreign key (brand_id, agent_id) references identity.agents (brand_id, agent_id)
);
create index spend_of_agent on conversations.spend (brand_id, agent_id, day, source_id);
create index spend_day on conversations.spend (day);

do $$
declare name text;
begin
  foreach name in array array['sources', 'conversations', 'messages', 'attempts', 'candidates', 'spend'] loop
    execute format('alter table conversations.%I enable row level security', name);
    execute format('alter table conversations.%I force row level security', name);
    execute format('create policy tenant on conversations.%I using (brand_id = (select platform.current_brand()))
      with check (brand_id = (select platform.current_brand()))', name);
    execute format('create policy system on conversations.%I using ((select platform.is_system()))
      with check ((select platform.is_system()))', name);
    -- MEMO-67: what was answered 504 must not be committed afterwards.
    execute format('create constraint trigger commit_limit after insert or update or delete on conversations.%I
      deferrable initially deferred for each row
      when (platform.has_commit_limit()) execute function platform.check_commit_limit()', name);
  end loop;
end $$;
