import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { repositoryRoot } from '@crewhall/services/facts.ts'
import { withServiceEnv } from '../dev/service-env.ts'
import { apiAs, cookieOf, wasRefused } from './demo-api.ts'
import { demoBoards, fillBoard, type Team } from './demo-fill.ts'
import { addressOf } from './demo-letters.ts'
import { memories, spaces } from './demo-pages.ts'
import {
  type AgentName,
  agentNames,
  agents,
  confirmAddress,
  fullNames,
  invitePeople,
  type People,
  type Person,
  signIn,
  signUpGuest,
} from './demo-people.ts'
import type { DemoState } from './demo-state.ts'

export const defaultUrl = 'http://127.0.0.1:8400'
const brandName = 'Fernway'
const tokenName = 'demo'
const scopes = ['brand:read', 'memory:read', 'memory:write', 'code:read'] as const

/** A new workspace with everything in it. */
export async function foundWorkspace(
  base_url: string,
  say: (line: string) => void,
): Promise<{ state: DemoState; team: Team }> {
  const tag = randomBytes(3).toString('hex')
  const password = randomBytes(9).toString('base64url')
  const email = addressOf('tomas', tag)
  const anyone = apiAs(base_url, undefined)
  const { body, headers } = await anyone.identity.signUp({
    body: { email, password, full_name: fullNames.tomas, brand_name: brandName },
  })
  const brand_id = body.brand_id ?? 0
  const admin: Person = { id: body.person.id, email, by: { cookie: cookieOf(headers) } }
  const api = apiAs(base_url, admin.by)
  const planned = confirmAddress(base_url, admin).then(() => takePlan(base_url, brand_id, admin, password))
  for (const agent_id of agentNames)
    await api.identity.createAgent({ body: { agent_id, name: agents[agent_id].name } })
  say('Inviting people')
  const founding = { base_url, brand_id, tag, password, admin }
  const [people, guest] = await Promise.all([invitePeople(founding), signUpGuest(founding)])
  const team = { base_url, people, tokens: await newTokens(base_url, brand_id, people) }
  for (const memory of memories) {
    const marlow = apiAs(base_url, { token: team.tokens.marlow })
    await marlow.memory.createMemory({ body: { ...memory, tags: [...memory.tags], agent_id: 'marlow' } })
  }
  say('Writing boards, cards and documents')
  const boards: Record<string, string> = {}
  await Promise.all(
    demoBoards.map(async (board) => {
      boards[board.key] = await fillBoard(team, board)
    }),
  )
  await Promise.all([
    planned,
    writePages(team),
    configure(team),
    guest && shareWith(team, guest, boards.DSP ?? ''),
  ])
  return { state: { base_url, brand_id, tag, email, password, boards }, team }
}

/** The team of a workspace that this demo has made, or why it is not that. */
export async function findWorkspace(state: DemoState): Promise<Team | 'gone' | 'foreign'> {
  const { base_url, brand_id, email, password, tag, boards } = state
  let admin: Person
  try {
    admin = await signIn(base_url, email, password)
  } catch (error) {
    if (wasRefused(error, 401)) return 'gone'
    throw error
  }
  const api = apiAs(base_url, admin.by)
  const me = await api.identity.switchBrand({ body: { brand_id } }).catch(() => undefined)
  const { items } = (await api.boards.listBoards({ query: { per_page: '100' } })).body
  const known = new Set(Object.values(boards))
  if (me?.body.brand_id !== brand_id || me.body.role !== 'admin') return 'foreign'
  if (items.filter(({ id }) => known.has(id)).length !== known.size) return 'foreign'
  const others = await Promise.all(
    (['ines', 'priya', 'anna'] as const).map(async (name) => {
      const person = await signIn(base_url, addressOf(name, tag), password).catch(() => admin)
      return [name, person] as const
    }),
  )
  const people = { tomas: admin, ...Object.fromEntries(others) } as People
  await revokeTokens(base_url, brand_id, admin)
  return { base_url, people, tokens: await newTokens(base_url, brand_id, people) }
}

/**
 * As an operator does it; a plan with every feature is given by platform admins alone. The local database is that of the
 * local server: for any other one, the environment has to name it.
 */
async function takePlan(base_url: string, brand_id: number, admin: Person, password: string): Promise<void> {
  if (base_url !== defaultUrl && !process.env.DATABASE_URL) return
  const env = withServiceEnv(process.env)
  const args = ['apps/server/src/create-staff.ts', '--email', admin.email, '--name', fullNames.tomas]
  const child = spawn(process.execPath, args, {
    cwd: repositoryRoot,
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.stdin?.end(password)
  const [code] = await once(child, 'close')
  if (code !== 0) return
  await apiAs(base_url, admin.by).identity.changeBrandPlan({
    params: { brand_id: String(brand_id) },
    body: { plan_key: 'business' },
  })
}

/** For a day, by whom each agent works for. They are not kept: the next run makes new ones. */
async function newTokens(base_url: string, brand_id: number, people: People): Promise<Team['tokens']> {
  const made = await Promise.all(
    agentNames.map(async (agent_id) => {
      const api = apiAs(base_url, people[agents[agent_id].works_for].by)
      const { body } = await api.identity.createToken({
        params: { brand_id: String(brand_id) },
        body: { name: tokenName, scopes: [...scopes], expires_in_days: 1, agent_id },
      })
      return [agent_id, body.token] as const
    }),
  )
  return Object.fromEntries(made) as Record<AgentName, string>
}

export async function revokeTokens(base_url: string, brand_id: number, admin: Person): Promise<void> {
  const api = apiAs(base_url, admin.by)
  const params = { brand_id: String(brand_id) }
  const { body } = await api.identity.listTokens({ params })
  const ours = body.tokens.filter(({ name, agent_id }) => name === tokenName && agent_id !== null)
  for (const { id } of ours) await api.identity.revokeToken({ params: { ...params, token_id: id } })
}

async function writePages({ base_url, people }: Team): Promise<void> {
  const api = apiAs(base_url, people.priya.by)
  for (const [name, pages] of Object.entries(spaces)) {
    const { body } = await api.docs.createSpace({ body: { name } })
    for (const page of pages) await api.docs.createPage({ params: { space_id: body.id }, body: page })
  }
}

/** Webhooks, of which one cannot be reached, and build settings that differ from those of the platform. */
async function configure({ base_url, people }: Team): Promise<void> {
  const api = apiAs(base_url, people.tomas.by)
  const hook = await api.webhooks.createWebhook({
    body: {
      url: 'https://chat.fernway.example/hooks/crewhall',
      events: ['task.archived'],
      description: 'Chat of the team',
    },
  })
  await api.webhooks.testWebhook({ params: { webhook_id: hook.body.id } })
  await api.webhooks.createWebhook({
    body: {
      url: 'https://billing.fernway.example/crewhall',
      events: ['run.*'],
      description: 'Costs of runs',
      enabled: false,
    },
  })
  await api.profiles.changeProfile({ params: { key: 'claude.hard' }, body: { limit_value: 250 } })
  await api.profiles.changeProfile({ params: { key: 'claude.docs' }, body: { effort: 'low' } })
  await api.boards.createView({
    body: { name: 'Urgent and high', filters: { priority: 'urgent,high' }, shared: true },
  })
}

async function shareWith({ base_url, people }: Team, guest: Person, board_id: string): Promise<void> {
  const api = apiAs(base_url, people.tomas.by)
  await api.boards.addBoardGuest({
    params: { board_id },
    body: { email: guest.email, role: 'commenter' },
  })
  const theirs = apiAs(base_url, guest.by)
  const { body } = await theirs.boards.listSharedCards({ params: { board_id }, query: { per_page: '100' } })
  const card = body.items.find(({ title }) => title.startsWith('Delete depots'))
  if (!card) return
  await theirs.boards.addSharedComment({
    params: { board_id, task_id: card.id },
    body: { body: 'We answer by Friday. Depots 3 and 9 have open invoices that a court asks for.' },
  })
}
