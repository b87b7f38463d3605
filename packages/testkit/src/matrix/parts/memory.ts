import { randomUUID } from 'node:crypto'
import { identified, type MatrixPart, type NewWorkspace, type Scene, type Value } from '../part.ts'

/** MEMO-37: another workspace's agent is refused with 403, wherever it is named. */
const ofAgents = {
  'memory.searchMemories agent_id': 403,
  'memory.recallMemories agent_id': 403,
  'memory.createMemory body.agent_id': 403,
  'memory.listMemories query.agent_id': 403,
  'memory.listExpiring query.agent_id': 403,
  'memory.getStats query.agent_id': 403,
  'memory.listProposals query.agent_id': 403,
  'memory.getMemoryFile agent_id': 403,
}

export const memoryPart: MatrixPart = {
  resources: {
    memory: { ...identified, fresh: (call) => addMemory(call, call.own.agent) },
    memory_proposal: { ...identified, fresh: (call) => addProposal(call, call.own.agent) },
  },
  bodies: {
    'memory.createMemory': { kind: 'fact', title: 'made by the matrix', body: 'made by the matrix' },
    'memory.changeMemory': { title: 'named by the matrix' },
    'memory.verifyMemory': {},
    'memory.restoreMemory': { version: 1 },
    'memory.purgeMemory': {},
    'memory.unmergeMemory': {},
    'memory.promoteMemory': {},
    'memory.approveProposal': {},
    'memory.rejectProposal': {},
  },
  queries: { 'memory.recallMemories': { query: 'anything' } },
  refused_as: ofAgents,
  async rows(workspace: NewWorkspace) {
    const { admin, brand_id } = workspace
    const { rows } = await admin.query<{ agent_id: string }>(
      'select agent_id from identity.agents where brand_id = $1 limit 1',
      [brand_id],
    )
    const agent = rows[0]?.agent_id
    const memory = await addMemory(workspace, agent)
    await admin.query(
      `insert into memory.embeddings (brand_id, memory_id, agent_id, model, dimension, text_hash, vector)
       values ($1, $2, $3, 'none', 3, '', '[1,2,3]')`,
      [brand_id, memory, agent],
    )
    await admin.query(
      `insert into memory.tombstones (brand_id, agent_id, memory_id, text_hash, deleted_by)
       values ($1, $2, gen_random_uuid(), '', '{}')`,
      [brand_id, agent],
    )
    await admin.query(
      `insert into memory.provenance (brand_id, memory_id, n, conversation_id, source_id, source_type, decision,
         message_seqs, quote, model, prompt_version)
       values ($1, $2, 1, gen_random_uuid(), gen_random_uuid(), 'claude_code', 'new', '{1}', $3, 'none', 1)`,
      [brand_id, memory, `Q ${workspace.mark}`],
    )
    await admin.query('insert into memory.exports (brand_id, agent_id, memory_ids) values ($1, $2, $3)', [
      brand_id,
      agent,
      [memory],
    ])
    await admin.query('insert into memory.code_walks (brand_id) values ($1) on conflict do nothing', [
      brand_id,
    ])
    await admin.query(
      `insert into memory.code_projects (brand_id, project_id, shown, walked) values ($1, gen_random_uuid(), 1, 1)`,
      [brand_id],
    )
    return { memory, memory_proposal: await addProposal(workspace, agent) }
  },
  tenant_rows: `
    insert into memory.memories (brand_id, id, agent_id, kind, title, body, text_hash, created_by, updated_by)
    select brand_id, gen_random_uuid(), agent_id, 'fact', 'M', 'M', '', '{}', '{}' from identity.agents;
    insert into memory.history (brand_id, memory_id, version, action, actor)
    select brand_id, id, 1, 'created', '{}' from memory.memories;
    insert into memory.embeddings (brand_id, memory_id, agent_id, model, dimension, text_hash, vector)
    select brand_id, id, agent_id, 'none', 1, '', '[1]' from memory.memories;
    insert into memory.tombstones (brand_id, agent_id, memory_id, text_hash, deleted_by)
    select brand_id, agent_id, id, '', '{}' from memory.memories;
    insert into memory.merges (brand_id, source_id, pattern_id, agent_id, tag)
    select brand_id, id, id, agent_id, 'M' from memory.memories;
    insert into memory.tag_uses (brand_id, agent_id, tag, memory_id, is_open, is_due)
    select brand_id, agent_id, 'M', id, false, false from memory.memories;
    insert into memory.provenance (brand_id, memory_id, n, conversation_id, source_id, source_type, decision,
      message_seqs, quote, model, prompt_version)
    select brand_id, id, 1, id, id, 'claude_code', 'new', '{1}', 'Q', 'none', 1 from memory.memories;
    insert into memory.proposals (brand_id, id, agent_id, kind, reason, content, digest)
    select brand_id, id, agent_id, 'new', 'like_deleted', '{"title": "P", "body": "P"}', '' from memory.memories
    on conflict do nothing;
    insert into memory.code_links (brand_id, memory_id, mention, project_id, nid, node_id, kind, path, symbol)
    select brand_id, id, 'M', id, 1, id, 'file', 'M', '' from memory.memories;
    insert into memory.code_mentions (brand_id, memory_id, key)
    select brand_id, id, 'M' from memory.memories on conflict do nothing;
    insert into memory.code_walks (brand_id) select id from identity.brands;
    insert into memory.code_projects (brand_id, project_id, shown) select id, gen_random_uuid(), 0 from identity.brands;
    insert into memory.exports (brand_id, agent_id) select brand_id, agent_id from identity.agents`,
}

async function addMemory({ admin, brand_id, mark }: Scene, agent: Value | undefined): Promise<string> {
  const id = randomUUID()
  const actor = JSON.stringify({ kind: 'system', id: 'matrix', name: `N ${mark}`, on_behalf_of: null })
  await admin.query(
    `with made as (
       insert into memory.memories (brand_id, id, agent_id, kind, title, body, tags, text_hash, created_by, updated_by)
       values ($1, $2, $3, 'fact', $4, $4, array[$4], '', $5, $5)),
     linked as (
       insert into memory.code_links (brand_id, memory_id, mention, project_id, nid, node_id, kind, path, symbol)
       values ($1, $2, $4, $2, 1, $2, 'file', $4, '')),
     mentioned as (
       insert into memory.code_mentions (brand_id, memory_id, key) values ($1, $2, $4)),
     merged as (
       insert into memory.merges (brand_id, source_id, pattern_id, agent_id, tag)
       values ($1, gen_random_uuid(), $2, $3, $4))
     insert into memory.history (brand_id, memory_id, version, action, reason, actor) values ($1, $2, 1, 'created', $4, $5)`,
    [brand_id, id, agent, `M ${mark}`, actor],
  )
  return id
}

async function addProposal({ admin, brand_id, mark }: Scene, agent: Value | undefined): Promise<string> {
  const id = randomUUID()
  const text = `P ${mark}`
  const draft = {
    kind: 'fact',
    title: text,
    body: text,
    description: null,
    tags: [],
    importance: 'normal',
    confidence: 0.8,
  }
  const origin = {
    conversation_id: id,
    source_id: id,
    source_type: 'claude_code',
    message_seqs: [1],
    quote: text,
  }
  await admin.query(
    `insert into memory.proposals (brand_id, id, agent_id, kind, reason, content, origin, digest)
     values ($1, $2, $3, 'new', 'like_deleted', $4, $5, sha256(gen_random_uuid()::text::bytea))`,
    [brand_id, id, agent, draft, { ...origin, model: 'none', prompt_version: 1 }],
  )
  return id
}
