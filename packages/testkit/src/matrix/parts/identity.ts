import { randomBytes, randomUUID } from 'node:crypto'
import { userCodeLetters } from '@crewhall/contracts/identity/device.ts'
import {
  identified,
  type MatrixPart,
  type NewWorkspace,
  numbered,
  type Scene,
  type WritingCall,
} from '../part.ts'
import { addSession, digestOf } from '../sessions.ts'

const madeAgent = 'made-by-the-matrix'

/** Codes that programs wait with. The first is only looked at; each call that may use one up takes another. */
const waitingCodes = 2000
const userCode = (n: number): string =>
  [400, 20, 1]
    .map((weight) => userCodeLetters[Math.floor(n / weight) % 20])
    .join('')
    .padStart(8, 'Z')
let codes = 0
const nextCode = (): string => {
  codes = (codes % (waitingCodes - 1)) + 1
  return userCode(codes)
}

export const identityPart: MatrixPart = {
  resources: {
    brand: numbered,
    agent: { missing: 'agent-of-nobody', fresh: addAgent },
    person: numbered,
    token: { ...identified, fresh: addToken },
    session: {
      ...numbered,
      belongs_to: 'caller',
      fresh: ({ admin, caller }) => addSession(admin, caller.person_id),
    },
    plan: { missing: 'nothing' },
  },
  bodies: {
    'identity.eraseMe': { password: 'correct horse battery' },
    'identity.eraseBrand': ({ marks }) => ({ name: `W ${marks.one}` }),
    'identity.switchBrand': {},
    'identity.changePassword': { current_password: 'correct horse battery', password: 'made by the matrix' },
    'identity.createAgent': { agent_id: madeAgent, name: 'made by the matrix' },
    'identity.renameAgent': { name: 'renamed by the matrix' },
    'identity.createToken': { name: 'made by the matrix', scopes: [] },
    'identity.decideDeviceRequest': () => ({ user_code: nextCode(), decision: 'approve' }),
  },
  queries: { 'identity.getDeviceRequest': { user_code: userCode(0) } },
  refused_as: { 'identity.createToken body.agent_id': 403 },
  // An id is taken for good.
  before: {
    'identity.createAgent': (admin) =>
      admin.query('delete from identity.agents where agent_id = $1', [madeAgent]),
  },
  refused_to: {
    // The only admin of workspaces with other members.
    'identity.eraseMe': ({ role }) => (role === 'admin' ? 409 : undefined),
  },
  ends_sessions: ['identity.endOtherSessions', 'identity.changePassword'],
  async rows({ admin, brand_id, mark, owner, token_id, is_foreign }: NewWorkspace) {
    // Nothing could be written any more in the workspace of the callers.
    if (is_foreign)
      await admin.query(
        `insert into identity.brand_erasures (brand_id, due_at) values ($1, now() + interval '1 day')`,
        [brand_id],
      )
    else await addWaitingCodes(admin)
    return {
      agent: await addAgent({ admin, brand_id, mark }),
      brand: brand_id,
      person: owner.id,
      token: token_id,
      session: await addSession(admin, owner.id),
      plan: is_foreign ? 'business' : 'free',
    }
  },
  tenant_rows: `
    insert into identity.tokens (brand_id, id, person_id, name, last_four, token_hash, scopes, expires_at)
    select brand_id, gen_random_uuid(), person_id, 'T', 'abcd', uuid_send(gen_random_uuid()), '{}', now() + interval '1 day'
    from identity.memberships;
    insert into identity.oauth_clients (id, name, redirect_uris)
    values (gen_random_uuid(), 'C', '{https://app.example/}');
    insert into identity.oauth_connections (brand_id, token_id, client_id, redirect_uri, challenge, resource)
    select t.brand_id, t.id, c.id, 'https://app.example/', 'c', '' from identity.tokens t, identity.oauth_clients c;
    insert into identity.oauth_secrets (brand_id, digest, token_id, kind)
    select brand_id, uuid_send(gen_random_uuid()), token_id, 'refresh' from identity.oauth_connections;
    insert into identity.agents (brand_id, agent_id, name) select id, 'bot', 'Bot' from identity.brands;
    insert into identity.brand_erasures (brand_id, due_at) select id, now() from identity.brands`,
  // Made by a page that asks for consent, which is no route of the API.
  empty_tables: ['identity.oauth_connections', 'identity.oauth_secrets'],
}

/** Its id holds no mark: ids stand in paths, and paths in the log. */
async function addAgent({ admin, brand_id, mark }: Scene): Promise<string> {
  const agent_id = `agent-${randomUUID()}`
  await admin.query('insert into identity.agents (brand_id, agent_id, name) values ($1, $2, $3)', [
    brand_id,
    agent_id,
    `A ${mark}`,
  ])
  return agent_id
}

async function addWaitingCodes(admin: Scene['admin']): Promise<void> {
  const digests = Array.from({ length: waitingCodes }, (_, n) => digestOf(userCode(n)))
  await admin.query(
    `insert into identity.device_codes (id, device_digest, user_digest, network, interval_seconds, expires_at)
     select gen_random_uuid(), uuid_send(gen_random_uuid()), decode(digest, 'hex'), '192.0.2.1', 5, now() + interval '1 day'
     from unnest($1::text[]) as made (digest) on conflict do nothing`,
    [digests],
  )
}

/** A live token of the caller. */
async function addToken({ admin, brand_id, mark, caller }: WritingCall): Promise<string> {
  const id = randomUUID()
  // A token ends only what it has issued.
  const [, issuer = ''] = caller.headers.authorization?.split(' ') ?? []
  await admin.query(
    `insert into identity.tokens (brand_id, id, person_id, name, last_four, token_hash, scopes, expires_at, issued_by)
     values ($1, $2, $3, $4, 'abcd', $5, '{}', now() + interval '1 day',
       (select id from identity.tokens where brand_id = $1 and token_hash = decode($6, 'hex')))`,
    [brand_id, id, caller.person_id, `T ${mark}`, randomBytes(32), digestOf(issuer)],
  )
  return id
}
