import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '@crewhall/client/client.ts'
import { newEmail } from '@crewhall/testkit/people.ts'
import { root } from '@crewhall/testkit/server-process.ts'
import { apiAs, cookieOf as cookieIn } from '../tools/demo/demo-api.ts'
import { addressOf, secretFor } from '../tools/demo/demo-letters.ts'
import { signIn } from '../tools/demo/demo-people.ts'
import { type DemoState, readState } from '../tools/demo/demo-state.ts'
import type { Ids } from '../tools/demo/page-shots.ts'

/** The workspace of the demo on a server of a test. */
export async function fillWorkspace(base_url: string, database_url: string): Promise<DemoState> {
  const place = mkdtempSync(join(tmpdir(), 'shots-'))
  const file = join(place, 'state.json')
  const args = ['tools/demo/demo.ts', '--still', '--base-url', base_url, '--state', file]
  // With it, the demo makes its admin one of the installation too, as an operator would.
  const env = { ...process.env, DATABASE_URL: database_url }
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env })
  const [code] = await once(child, 'close')
  const state = readState(file)
  rmSync(place, { recursive: true })
  if (code !== 0 || !state) throw new Error(`the demo ended with ${code}`)
  return state
}

export async function cookieOf({ base_url, password, tag }: DemoState, name: string): Promise<string> {
  const { by } = await signIn(base_url, addressOf(name, tag), password)
  if (!by || !('cookie' in by)) throw new Error(`${name} has no session`)
  return by.cookie
}

async function apiOf(state: DemoState, name: string): Promise<Client> {
  return apiAs(state.base_url, { cookie: await cookieOf(state, name) })
}

/** Of one thing of each kind, for the addresses that name one. */
export async function idsOf(state: DemoState): Promise<Ids> {
  const api = await apiOf(state, 'tomas')
  const hooks = (await api.webhooks.listWebhooks()).body.items
  const space_id = (await api.docs.listSpaces({ query: {} })).body.spaces[0]?.id ?? ''
  const { pages } = (await api.docs.listPages({ params: { space_id }, query: {} })).body
  const inSpace = { space: space_id, page: pages[0]?.id ?? '' }
  const desk = (await api.fleet.orderDesk({ body: { name: 'oslo-1', runtime: 'claude_code' } })).body
  return {
    board: { key: 'DSP' },
    card: { ref: 'DSP-8' },
    profile: { key: 'claude.hard' },
    webhook: { id: hooks.find(({ enabled }) => enabled)?.id ?? '' },
    machine: { id: desk.workstation_id },
    ...{ docsSpace: inSpace, docsNew: inSpace, docsPage: inSpace, docsEdit: inSpace },
    sharedBoard: { board: state.boards.DSP ?? '' },
    ...{ sharedSpace: inSpace, sharedNewPage: inSpace, sharedPage: inSpace, sharedEditPage: inSpace },
  }
}

/** Somebody who is in no workspace: an account comes about by an invitation, and the person leaves again. */
export async function makeGuest(state: DemoState, name: string): Promise<string> {
  const { base_url, brand_id, boards, password, tag } = state
  const api = await apiOf(state, 'tomas')
  const email = addressOf(name, tag)
  const params = { brand_id: String(brand_id) }
  await api.workspaces.createInvitation({ params, body: { email, role: 'member' } })
  const token = (await secretFor(email, 'invite')) ?? ''
  const body = { token, full_name: 'Kai Holm', password }
  await apiAs(base_url, undefined).workspaces.acceptInvitation({ body })
  const { id } = await signIn(base_url, email, password)
  await api.workspaces.removeMember({ params: { ...params, user_id: String(id) } })
  await api.boards.addBoardGuest({
    params: { board_id: boards.DSP ?? '' },
    body: { email, role: 'commenter' },
  })
  const space_id = (await api.docs.listSpaces({ query: {} })).body.spaces[0]?.id ?? ''
  await api.docs.addSpaceGuest({ params: { space_id }, body: { email, role: 'editor' } })
  return cookieOf(state, name)
}

/** Agents at work, for longer than pictures take. */
export async function putToWork(state: DemoState): Promise<void> {
  const people = await apiOf(state, 'tomas')
  const work = [
    [
      'marlow',
      'DSP-8',
      'edit src/plans/replan.ts +9 -3\nnpm test -- billing plans\n214 of 388 passed, 3 failing',
    ],
    ['wren', 'DSP-9', 'edit src/eta/smoother.ts +41 -60'],
    ['juno', 'DSP-20', 'read docs/webhooks.md'],
  ] as const
  for (const [agent_id, task_id, summary] of work) {
    const { body } = await people.identity.createToken({
      params: { brand_id: String(state.brand_id) },
      body: { name: agent_id, scopes: ['brand:read', 'memory:read'], expires_in_days: 1, agent_id },
    })
    const api = apiAs(state.base_url, { token: body.token })
    const claim = await api.boards.claimCard({ params: { task_id }, body: { lease_seconds: 3600 } })
    const run = await api.boards.startRun({ params: { task_id }, body: { epoch: claim.body.epoch } })
    const usage = { cost_micros: 1_860_000, tokens: 1_840_000 }
    await api.boards.changeRun({ params: { run_id: run.body.id }, body: { summary, usage } })
  }
}

export async function signUpEmpty(base_url: string): Promise<string> {
  const login = { email: newEmail(), password: 'correct horse battery' }
  const body = { ...login, full_name: 'Tomas Lind', brand_name: 'Fernway' }
  const { headers } = await apiAs(base_url, undefined).identity.signUp({ body })
  return cookieIn(headers)
}
