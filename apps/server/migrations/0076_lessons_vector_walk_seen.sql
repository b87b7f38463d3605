-- How many it has looked at, as the walk of memories counts it.
alter table lessons.vector_walk add column seen bigint not null default 0;
