-- Counted apart from the boxes in the acceptance criteria, which the version that still runs writes anew with each change
-- of a card.
alter table boards.cards
  add items_total int not null default 0,
  add items_done  int not null default 0;

create table boards.checklist_items (
  brand_id   int         not null,
  card_id    uuid        not null,
  id         uuid        not null default gen_random_uuid(),
  text       text        not null,
  -- Sorts within the card. At most a hundred, so that a new order may number all of them again.
  place      int         not null,
  done_by    jsonb,
  done_at    timestamptz,
  created_at timestamptz not null default platform.clock_now(),
  constraint checklist_items_pkey primary key (brand_id, id),
  constraint checklist_items_card_fkey foreign key (brand_id, card_id) references boards.cards (brand_id, id)
    on delete cascade,
  constraint checklist_items_done_by_somebody check ((done_by is null) = (done_at is null))
);
create index checklist_items_card on boards.checklist_items (brand_id, card_id, place, id);
alter table boards.checklist_items enable row level security;
alter table boards.checklist_items force row level security;
create policy tenant on boards.checklist_items
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on boards.checklist_items
  using ((select platform.is_system())) with check ((select platform.is_system()));
