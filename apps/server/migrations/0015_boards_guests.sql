-- People from outside the workspace who may open a board. Written only under the lock of the board, so a role
-- that was read under it holds until the end of the transaction.
create table boards.guests (
  brand_id  int         not null,
  board_id  uuid        not null,
  person_id int         not null,
  role      text        not null,
  added_at  timestamptz not null default platform.now(),
  constraint guests_pkey primary key (brand_id, board_id, person_id),
  constraint guests_board_fkey foreign key (brand_id, board_id) references boards.boards (brand_id, id)
    on delete cascade,
  constraint guests_role_known check (role in ('viewer', 'commenter', 'editor'))
);
create index guests_of_brand on boards.guests (brand_id, person_id, board_id);
-- What is shared with one person, over all workspaces.
create index guests_shared on boards.guests (person_id, board_id);

alter table boards.guests enable row level security;
alter table boards.guests force row level security;
create policy tenant on boards.guests
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on boards.guests
  using ((select platform.is_system())) with check ((select platform.is_system()));

-- How many boards of one type a workspace has, such as those that a feature holds.
create index boards_of_type on boards.boards (brand_id, board_type) where archived_at is null;
