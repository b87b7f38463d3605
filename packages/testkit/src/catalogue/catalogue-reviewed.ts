/** Exceptions from the rules of the catalogue. Each was looked at, and says why it cannot leak. */
type Reviewed = Readonly<Record<string, string>>

/** Tables that hold nothing of one workspace. A table without `brand_id` that is not here is a fault. */
export const globalTables: Reviewed = {
  'identity.plans': 'price list of the installation, the same for everybody',
  'identity.platform_agents': 'agents of the installation, the same for everybody',
  'identity.people': 'a person may belong to several workspaces',
  'identity.passwords': 'belongs to a person',
  'identity.password_resets': 'belongs to a person',
  'identity.email_proofs': 'belongs to a person',
  'identity.person_erasures': 'belongs to a person; how far their erasure has come',
  'identity.devices': 'belongs to a person',
  'identity.device_codes':
    'programs that wait for a person; `brand_id` is the workspace that the person has chosen, or none',
  'identity.sessions': 'belongs to a person; `brand_id` is the workspace it acts for now, or none',
  'identity.oauth_clients': 'programs that have registered themselves, before anybody has let them in',
  'identity.attempt_limits': 'counts tries by address and e-mail, before anybody is known',
  'hires.grants':
    'how many hires each admin of the platform has granted in the last hour; random ids of hires, which no route reads',
  'hires.employees': 'catalog of the installation, the same for everybody',
  'hires.employee_versions': 'catalog of the installation, the same for everybody',
  'boards.board_ids': 'random ids and nothing else, to tell a foreign board from a missing one (BRD-14)',
  'marketplace.packages': 'catalog of the installation, the same for everybody',
  'marketplace.package_versions': 'catalog of the installation, the same for everybody',
  'memory.embedding_walk': 'one row: the model in use, and how far all memories were looked at',
  'lessons.vector_walk': 'one row: the model in use, and how far all lessons were looked at',
  'jobs.effects': 'keys of finished jobs of the platform',
  'jobs.schedules': 'clock of the platform',
  'mailboxes.mailboxes': 'belongs to a person; no route reads or writes any but the row of its caller',
  'mailboxes.names':
    'mail names are unique over the whole installation, so a caller learns of others one bit: whether a name is free',
  'mailboxes.withheld_names':
    'digests of names of people who were erased, and nothing else; a caller learns whether a name is free',
  'identity.platform_entries':
    'the audit of the platform, which only platform admins read; ids and no content',
  'platform.horizons': 'since when the lists of the installation are whole',
  'platform.migrations': 'history of the schema',
  'platform.revocations':
    'random ids of sessions, tokens and desks that no longer let anybody in, until they are in the journal; no route reads them',
  'platform.timelines': 'when the installation was restored, and to which moment',
  'boards.attachment_sweeps': 'how far the search for forgotten objects has come, over all workspaces',
  'workspaces.photo_sweeps': 'how far the search for forgotten objects has come, over all workspaces',
  'fleet.mesh_cells': 'how many desks the hub has, over all workspaces',
  'fleet.mesh_deltas':
    'what the hub has to do: keys and addresses of the network, which no route reads; it outlives the workspace whose desk has to go',
  'fleet.mesh_hubs': 'which process is the hub, over all workspaces',
  'fleet.mesh_keys':
    'public keys in use, over all workspaces; whoever makes one learns of others one bit, whether a key that they know is in use',
  'fleet.poll_cells': 'which process checks desks, over all workspaces',
  'fleet.photo_sweeps': 'how far the search for forgotten objects has come, over all workspaces',
}

/** Schemas that a library owns and migrates. */
export const librarySchemas: Reviewed = {
  pgboss: 'the job queue; its rows are searched for marks by the canary',
}

export const uniqueIndexes: Reviewed = {
  'fleet.desk_keys.desk_keys_by_desk':
    'a desk that signs names no workspace; ids of desks are made by us, and random',
  'fleet.mesh_peers.mesh_peers_by_key':
    'the hub tells peers apart by their key alone; whoever makes one learns of others one bit, whether a key that they know is in use',
  'fleet.mesh_peers.mesh_peers_by_address': 'addresses are made by us, and none is made twice',
  'fleet.join_secrets.join_secrets_by_digest':
    'a machine that joins names no workspace; a digest of 256 random bits clashes with nothing',
  'identity.oauth_secrets.oauth_secrets_digest_key':
    'whoever brings a code names no workspace; a digest of 256 random bits clashes with nothing',
  'identity.tokens.tokens_token_hash_key':
    'the look-up of a token knows no workspace yet; a digest of 178 random bits clashes with nothing',
  'workspaces.invitations.invitations_token_hash':
    'whoever brings a link names no workspace; a digest of 256 random bits clashes with nothing',
}

export const foreignKeys: Reviewed = {
  'hires.hires.hires_version_fkey': 'the catalog is global',
  'marketplace.installs.installs_version_fkey': 'packages are global',
  'identity.brands.brands_plan_fkey': 'plans are global',
  'identity.memberships.memberships_person_fkey': 'people stand outside all workspaces',
  'identity.oauth_connections.oauth_connections_client_fkey': 'programs stand outside all workspaces',
  'identity.device_codes.device_codes_brand_fkey': 'written only after the membership was read',
  'identity.sessions.sessions_brand_fkey': 'written only after the membership was read',
}

/** Views that read with the rights of their owner, for a role that sees nothing else. */
export const definerViews: Reviewed = {
  'mailboxes.deliveries':
    'what the mail server may know: names that take mail; no table of a workspace is in it',
}

export const definerFunctions: Reviewed = {
  'platform.note_revocation':
    'adds the id and time of a credential whose row is ending to a list that no workspace reads, and answers nothing',
  'identity.raise_epoch':
    'raises one number of a brand whose row of another table is changing, and answers nothing',
  'identity.count_workspaces': 'answers in how many workspaces a person is, and not in which',
  'hires.is_anywhere':
    'answers whether any workspace has a hire with this random id, and not which (HIRE-35)',
  'boards.is_guest_elsewhere':
    'answers whether any other workspace shares a board with a person, and not which',
  'boards.fill_search_texts':
    'writes what search reads of cards and comments, each into its own workspace; only the owner may call it',
  'boards.fill_labels': 'counts the labels of cards, each for its own workspace; only the owner may call it',
  'boards.fill_sums': 'sums up cards and runs, each for its own workspace; only the owner may call it',
  'docs_spaces.is_guest_elsewhere':
    'answers whether any other workspace shares a docs space with a person, and not which',
  'identity.sweep_platform_entries':
    'deletes entries of the audit of the platform past their time; answers how many',
  'identity.redact_platform_entries':
    'takes networks out of the audit of the platform, of somebody who is erased; answers how many',
  'platform.redact_audit_of_person':
    'takes somebody who is erased out of the audit, under the tenancy of its caller; answers how far it came',
  'platform.redact_audit_of_brand':
    'takes names and values out of the audit of a workspace that is erased, under the tenancy of its caller; answers how far it came',
  'platform.roll_partitions':
    'finds the newest time in a partition, with the rights of its caller; answers nothing',
  'boards.roll_activity':
    'makes empty months of the feeds and drops those past their time, of all workspaces alike; answers nothing',
  'webhooks.roll_deliveries':
    'makes empty days of deliveries and drops those past their time, of all workspaces alike; answers nothing',
  'platform.roll_events':
    'makes empty months of the events and drops those past their time, of all workspaces alike; answers nothing',
  'platform.roll_audit':
    'makes empty partitions of the audit and drops those past their time, of all workspaces alike; answers nothing',
}
