-- What a call of the model was for: recall has limits of its own, so that it never holds up conversations.
alter table conversations.spend
  add column purpose text not null default 'reading',
  add constraint spend_purpose_known check (purpose in ('reading', 'consolidation', 'recall'));
-- Ids of sources are of version 7; those in their place are of version 8.
update conversations.spend set purpose = 'consolidation' where substr(source_id::text, 15, 1) = '8';
