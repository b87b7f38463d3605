-- Finds nodes by what a text says: a place, or a name alone, in all projects of a workspace.
create index nodes_named on code_index.nodes (brand_id, symbol, path) where is_live;
