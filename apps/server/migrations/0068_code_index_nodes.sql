-- Which index of a project is visible, and who may replace it.
create table code_index.indexes (
  brand_id     int         not null,
  project_id   uuid        not null,
  -- Each run takes the next one; what an earlier run still wants to write is refused.
  epoch        int         not null default 0,
  -- 0 until an index is visible. What is stored before that is seen by nobody.
  version      int         not null default 0,
  commit_id    text,
  -- How this commit came out of the one that was indexed before.
  history      text,
  nodes        int         not null default 0,
  edges        int         not null default 0,
  published_at timestamptz,
  constraint indexes_pkey primary key (brand_id, project_id),
  constraint indexes_project_fkey foreign key (brand_id, project_id) references code_index.projects (brand_id, id),
  constraint indexes_visible check ((version = 0) = (commit_id is null) and (version = 0) = (published_at is null))
);

-- How far the small ids of a workspace are given out. They are never given twice; gaps do not matter.
create table code_index.node_ids (
  brand_id int not null,
  last_nid int not null,
  constraint node_ids_pkey primary key (brand_id),
  constraint node_ids_brand_fkey foreign key (brand_id) references identity.brands (id)
);

-- A row stays when its code is gone, so that code which returns has its ids again.
create table code_index.nodes (
  brand_id        int      not null,
  nid             int      not null,
  id              uuid     not null default gen_random_uuid(),
  project_id      uuid     not null,
  -- 0 folder, 1 file, 2 symbol.
  kind            smallint not null,
  path            text     collate "C" not null,
  symbol          text     collate "C" not null,
  -- Of live nodes; null for the root.
  parent_nid      int,
  body_hash       text,
  -- How many edges touch it, so that a walk knows a hub without counting.
  import_degree   int      not null,
  call_degree     int      not null,
  contains_degree int      not null,
  is_live         boolean  not null default true,
  removed_in      text,
  -- The version of the index that took it out.
  removed_version int      not null default 0,
  constraint nodes_pkey primary key (brand_id, nid),
  constraint nodes_id_key unique (brand_id, id),
  constraint nodes_project_fkey foreign key (brand_id, project_id) references code_index.projects (brand_id, id),
  constraint nodes_parent_fkey foreign key (brand_id, parent_nid) references code_index.nodes (brand_id, nid)
    on delete set null (parent_nid),
  constraint nodes_kind_known check (kind in (0, 1, 2)),
  constraint nodes_symbol_of_symbols check ((kind = 2) = (symbol <> '')),
  -- Both fit into one entry of an index.
  constraint nodes_path_length check (octet_length(path) <= 1024),
  constraint nodes_symbol_length check (octet_length(symbol) <= 512),
  constraint nodes_removed check (is_live = (removed_in is null) and (is_live or parent_nid is null))
) with (fillfactor = 90);
create unique index nodes_place on code_index.nodes (brand_id, project_id, path, symbol) where is_live;
create index nodes_of_project on code_index.nodes (brand_id, project_id, nid);
create index nodes_of_parent on code_index.nodes (brand_id, parent_nid, nid);

-- Both ways from an index alone. What contains what is `parent_nid`.
create table code_index.edges (
  brand_id int      not null,
  src      int      not null,
  -- 0 import, 1 symbol_import, 2 call.
  kind     smallint not null,
  dst      int      not null,
  constraint edges_pkey primary key (brand_id, src, kind, dst),
  constraint edges_src_fkey foreign key (brand_id, src) references code_index.nodes (brand_id, nid),
  constraint edges_dst_fkey foreign key (brand_id, dst) references code_index.nodes (brand_id, nid),
  constraint edges_kind_known check (kind in (0, 1, 2))
);
create index edges_back on code_index.edges (brand_id, dst, kind, src);

-- What happened to nodes: an anchor that names an old place is still found.
create table code_index.node_changes (
  brand_id   int      not null,
  project_id uuid     not null,
  version    int      not null,
  nid        int      not null,
  -- 0 moved, 1 removed, 2 revived.
  change     smallint not null,
  old_path   text     collate "C" not null,
  old_symbol text     collate "C" not null,
  path       text     collate "C" not null,
  symbol     text     collate "C" not null,
  -- That removed it; otherwise the indexed one.
  commit_id  text     not null,
  constraint node_changes_pkey primary key (brand_id, project_id, version, nid),
  constraint node_changes_node_fkey foreign key (brand_id, nid) references code_index.nodes (brand_id, nid),
  constraint node_changes_project_fkey foreign key (brand_id, project_id)
    references code_index.projects (brand_id, id),
  constraint node_changes_change_known check (change in (0, 1, 2))
);
create index node_changes_of_node on code_index.node_changes (brand_id, nid);
create index node_changes_of_place on code_index.node_changes (brand_id, project_id, old_path, old_symbol, version);

-- What the extractor has found in a blob, for each workspace by itself: a hit must not tell what others have.
create table code_index.blob_facts (
  brand_id  int  not null,
  -- The blob, and the language that it was read as.
  key       text collate "C" not null,
  -- Its version: facts of another one are not comparable.
  extractor text collate "C" not null,
  facts     text not null,
  used_on   date not null,
  constraint blob_facts_pkey primary key (brand_id, key, extractor),
  constraint blob_facts_brand_fkey foreign key (brand_id) references identity.brands (id)
);
create index blob_facts_unused on code_index.blob_facts (used_on, brand_id, key, extractor);

-- The difference that a run wants to make visible, written before and in small transactions.
create table code_index.staged_runs (
  brand_id   int         not null,
  run_id     uuid        not null,
  project_id uuid        not null,
  epoch      int         not null,
  created_at timestamptz not null default platform.now(),
  constraint staged_runs_pkey primary key (brand_id, run_id),
  constraint staged_runs_project_fkey foreign key (brand_id, project_id)
    references code_index.projects (brand_id, id)
);
create index staged_runs_of_project on code_index.staged_runs (brand_id, project_id);
create index staged_runs_old on code_index.staged_runs (created_at, brand_id, run_id);

create table code_index.staged_nodes (
  brand_id        int      not null,
  run_id          uuid     not null,
  position        int      not null,
  nid             int      not null,
  kind            smallint not null,
  path            text     collate "C" not null,
  symbol          text     collate "C" not null,
  parent_nid      int,
  body_hash       text,
  import_degree   int      not null,
  call_degree     int      not null,
  contains_degree int      not null,
  removed_in      text,
  change          smallint,
  old_path        text     collate "C" not null,
  old_symbol      text     collate "C" not null,
  constraint staged_nodes_pkey primary key (brand_id, run_id, position),
  constraint staged_nodes_run_fkey foreign key (brand_id, run_id) references code_index.staged_runs (brand_id, run_id)
);
create table code_index.staged_edges (
  brand_id int      not null,
  run_id   uuid     not null,
  position int      not null,
  src      int      not null,
  kind     smallint not null,
  dst      int      not null,
  constraint staged_edges_pkey primary key (brand_id, run_id, position),
  constraint staged_edges_run_fkey foreign key (brand_id, run_id) references code_index.staged_runs (brand_id, run_id)
);

do $$
declare name text;
begin
  foreach name in array array['indexes', 'node_ids', 'nodes', 'edges', 'node_changes', 'blob_facts', 'staged_runs',
    'staged_nodes', 'staged_edges'] loop
    execute format('alter table code_index.%I enable row level security', name);
    execute format('alter table code_index.%I force row level security', name);
    execute format('create policy tenant on code_index.%I using (brand_id = (select platform.current_brand()))
      with check (brand_id = (select platform.current_brand()))', name);
    execute format('create policy system on code_index.%I using ((select platform.is_system()))
      with check ((select platform.is_system()))', name);
  end loop;
end $$;
