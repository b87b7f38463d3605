-- Who checks the desks of a cell. The fence rises with every new holder, and results are written under it, so whoever has
-- lost the cell without knowing writes nothing.
create table fleet.poll_cells (
  cell       int         not null,
  holder     uuid,
  fence      bigint      not null default 0,
  held_until timestamptz not null default '-infinity',
  constraint poll_cells_pkey primary key (cell)
);
insert into fleet.poll_cells (cell) values (0);
