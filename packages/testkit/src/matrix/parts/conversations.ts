import { randomUUID } from 'node:crypto'
import { identified, type MatrixPart, type NewWorkspace, type Scene, type Value } from '../part.ts'

/** Settings that no key opens. */
const sealed = `'\\x00'`

export const conversationsPart: MatrixPart = {
  resources: {
    conversation_source: { ...identified, fresh: (call) => addSource(call, call.own.agent, 'openclaw') },
    conversation: {
      ...identified,
      fresh: (call) => addConversation(call, call.own.conversation_source, call.own.agent),
    },
  },
  bodies: {
    'conversations.createSource': { source_type: 'openclaw' },
    'conversations.changeSource': { enabled: false },
    'conversations.pauseSource': {},
    'conversations.rollBackSource': {},
    'conversations.rollBackConversation': {},
    'conversations.sendConversation': {
      format: 'messages',
      conversation_id: 'sent by the matrix',
      messages: [{ role: 'person', text: 'sent by the matrix' }],
    },
  },
  refused_as: {
    'conversations.createSource body.agent_id': 403,
    'conversations.listSources query.agent_id': 403,
    'conversations.listConversations query.agent_id': 403,
    'conversations.getUsage query.agent_id': 403,
  },
  before: {
    // A plan has room for few, and calls before this one have left theirs.
    'conversations.createSource': (admin) =>
      admin.query(`update conversations.sources set deleted_at = now() where source_type = 'openclaw'`),
  },
  async rows(workspace: NewWorkspace) {
    const { admin, brand_id } = workspace
    const { rows } = await admin.query<{ agent_id: string }>(
      'select agent_id from identity.agents where brand_id = $1 limit 1',
      [brand_id],
    )
    const agent = rows[0]?.agent_id
    const conversation_source = await addSource(workspace, agent, 'claude_code')
    const conversation = await addConversation(workspace, conversation_source, agent)
    await admin.query(
      `insert into conversations.spend (brand_id, day, source_id, agent_id, calls, tokens)
       values ($1, '2026-01-31', $2, $3, 1, 1)`,
      [brand_id, conversation_source, agent],
    )
    return { conversation_source, conversation }
  },
  tenant_rows: `
    insert into conversations.sources (brand_id, id, agent_id, source_type, config)
    select brand_id, gen_random_uuid(), agent_id, 'openclaw', ${sealed} from identity.agents;
    insert into conversations.conversations (brand_id, id, source_id, agent_id, external_id, next_try_at)
    select brand_id, gen_random_uuid(), id, agent_id, 'C', now() from conversations.sources;
    insert into conversations.messages (brand_id, conversation_id, seq, role, text, digest)
    select brand_id, id, 0, 'person', 'T', '' from conversations.conversations;
    insert into conversations.attempts (brand_id, conversation_id, number, epoch, first_seq)
    select brand_id, id, 1, 1, 0 from conversations.conversations;
    insert into conversations.candidates (brand_id, conversation_id, attempt, n, decision)
    select brand_id, conversation_id, number, 1, 'rejected' from conversations.attempts;
    insert into conversations.spend (brand_id, day, source_id, agent_id)
    select brand_id, '2026-01-31', id, agent_id from conversations.sources`,
}

async function addSource(
  { admin, brand_id, mark }: Scene,
  agent: Value | undefined,
  type: string,
): Promise<string> {
  const id = randomUUID()
  await admin.query(
    `insert into conversations.sources (brand_id, id, agent_id, source_type, config, enabled, paused_reason)
     values ($1, $2, $3, $5, ${sealed}, false, $4)`,
    [brand_id, id, agent, `P ${mark}`, type],
  )
  return id
}

/** One that was read and left something behind in every table. */
async function addConversation(
  { admin, brand_id, mark }: Scene,
  source: Value | undefined,
  agent: Value | undefined,
): Promise<string> {
  const id = randomUUID()
  await admin.query(
    `insert into conversations.conversations (brand_id, id, source_id, agent_id, external_id, state, message_count,
       read_through, last_attempt) values ($1, $2, $3, $4, $5, 'done', 1, 1, 1)`,
    [brand_id, id, source, agent, `C ${id} ${mark}`],
  )
  await admin.query(
    `with said as (
       insert into conversations.messages (brand_id, conversation_id, seq, role, text, digest)
       values ($1, $2, 0, 'person', $3, '')),
     tried as (
       insert into conversations.attempts (brand_id, conversation_id, number, epoch, first_seq, end_seq, ended_at,
         outcome, error) values ($1, $2, 1, 1, 0, 1, now(), 'finished', $3))
     insert into conversations.candidates (brand_id, conversation_id, attempt, n, decision, reason)
     values ($1, $2, 1, 1, 'rejected', $3)`,
    [brand_id, id, `T ${mark}`],
  )
  return id
}
