import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { adminEnv } from '../identity/admin-verbs.ts'
import { HireWorkspace, operator } from './hire-workspace.ts'

const root = mkdtempSync(join(tmpdir(), 'crewhall-hires-'))
const server = useServer('probe', { ...adminEnv, CONVERSATIONS_ROOT: root, HTTP_RATE_LIMIT_PER_MINUTE: '0' })
afterAll(() => rmSync(root, { recursive: true, force: true }))

let work: HireWorkspace
beforeEach(async () => {
  work = await HireWorkspace.open(server)
})
const both = ['cancel', 'cancel-immediate'] as const
const always = ['help', 'whoami']
/** Microseconds count. */
const secondsBetween = async (from: string, to: string) =>
  (
    await server.sql<{ seconds: number }>(
      'select extract(epoch from $2::timestamptz - $1::timestamptz)::float as seconds',
      [from, to],
    )
  )[0]?.seconds
const countOf = async (table: string, hire_id: string) =>
  (await server.sql(`select 1 from hires.${table} where hire_id = $1`, [hire_id])).length

describe('a cancel at the end of the period', () => {
  test('HIRE-20, HIRE-32, HIRE-G9: tells when, and when the tools are gone, and nothing else', async () => {
    const { hire_id } = await work.hire('reviewer', ['boards'])
    const { status, body } = await work.cancel(hire_id, 'cancel')
    expect(status).toBe(200)
    expect(body).toEqual({
      hire_id,
      status: 'canceled',
      cancel_at_period_end: true,
      effective_at: expect.stringMatching(/Z$/),
      marketplace_disable_at: expect.stringMatching(/Z$/),
    })
    expect(await secondsBetween(body.effective_at, body.marketplace_disable_at)).toBe(60)
    const { current_period_end, effective_at } = await work.row(hire_id)
    expect([effective_at, await secondsBetween(body.effective_at, current_period_end)]).toEqual([
      current_period_end,
      0,
    ])
  })

  test('HIRE-21, HIRE-22: takes nothing away now, though the status is canceled at once', async () => {
    const hire = await work.hire('reviewer', ['boards', 'memory'], { root })
    const tools = await work.tools(hire)
    expect(tools).toContain('memory')
    expect((await work.cancel(hire.hire_id, 'cancel')).status).toBe(200)
    expect(await work.row(hire.hire_id)).toMatchObject({ status: 'canceled', ended_at: null })
    expect(await work.tools(hire)).toEqual(tools)
    expect(await work.enabled()).toEqual(['boards', 'memory'])
    expect(existsSync(join(root, work.directory(hire.hire_id), 'PERSONA.md'))).toBe(true)
    expect(await countOf('management_records', hire.hire_id)).toBe(1)
  })

  test('HIRE-G8: takes no body, and ignores any', async () => {
    for (const [key, body] of [
      ['reviewer', { brand_id: 1, reason: 'too quiet', cancel_at_period_end: false }],
      ['docs-writer', []],
    ] as const) {
      const { hire_id } = await work.hire(key, [])
      const path = `/api/v1/employees/hires/${hire_id}/cancel`
      expect(await work.at.call(work.by, 'POST', path, body)).toMatchObject({
        status: 200,
        body: { cancel_at_period_end: true },
      })
    }
  })

  test('of a hire that nobody has renewed in time ends the period that runs', async () => {
    const { hire_id } = await work.hire('reviewer', [])
    await server.sql(
      `update hires.hires set created_at = platform.now() - interval '3 months 1 day',
         current_period_end = platform.now() - interval '2 months 1 day' where id = $1`,
      [hire_id],
    )
    await work.cancel(hire_id, 'cancel')
    const [row] = await server.sql(
      `select periods, effective_at = hires.period_end(created_at, 4) as fits, effective_at > platform.now() as is_ahead
       from hires.hires where id = $1`,
      [hire_id],
    )
    expect(row).toEqual({ periods: 4, fits: true, is_ahead: true })
  })
})

describe('an immediate cancel', () => {
  test('HIRE-24, HIRE-25, HIRE-28 to HIRE-30, HIRE-32, HIRE-G9: ends now, and tells what became of what', async () => {
    const other = await work.hire('docs-writer', ['memory'])
    const { hire_id } = await work.hire('reviewer', ['boards', 'memory', 'lessons'], { root })
    const path = join(root, work.directory(hire_id))
    expect(existsSync(path)).toBe(true)
    const { status, body } = await work.cancel(hire_id, 'cancel-immediate')
    expect(status).toBe(200)
    expect(body).toEqual({
      hire_id,
      status: 'canceled',
      effective_at: expect.stringMatching(/Z$/),
      marketplace_disable_at: expect.stringMatching(/Z$/),
      installs_disabled: 2,
      installs_retained: 1,
      management_record_deleted: true,
      gateway_entry_removed: false,
      agent_torn_down: false,
    })
    expect(await secondsBetween(body.effective_at, body.marketplace_disable_at)).toBe(60)
    expect(Math.abs(Date.parse(body.effective_at) - Date.now())).toBeLessThan(60_000)
    expect([existsSync(path), await countOf('management_records', hire_id)]).toEqual([false, 0])
    expect(await work.enabled()).toEqual(['memory'])
    expect((await work.references()).map((each) => each.hire_id)).toEqual([other.hire_id])
  })

  test('HIRE-26, HIRE-G14: a package stays as long as another hire needs it, also one that waits for its end', async () => {
    const waiting = await work.hire('docs-writer', ['memory', 'boards'])
    const active = await work.hire('test-engineer', ['boards'])
    const mine = await work.hire('reviewer', ['boards', 'lessons'])
    await work.at.made(work.by, 'POST', '/api/v1/marketplace/installs', { package_key: 'lessons' })
    await work.cancel(waiting.hire_id, 'cancel')
    const counts = async (hire_id: string) => {
      const { body } = await work.cancel(hire_id, 'cancel-immediate')
      return [body.installs_disabled, body.installs_retained]
    }
    expect(await counts(active.hire_id)).toEqual([0, 1])
    expect(await counts(mine.hire_id)).toEqual([0, 2])
    expect(await work.enabled()).toEqual(['boards', 'lessons', 'memory'])
  })

  test('HIRE-31: the agent stays and can be mentioned, its token opens the gateway, and there is no tool of a package', async () => {
    const hire = await work.hire('reviewer', ['boards', 'memory'])
    expect(await work.tools(hire)).toContain('boards')
    await work.cancel(hire.hire_id, 'cancel-immediate')
    await waitFor(async () => !(await work.tools(hire)).includes('boards'), 1000)
    expect(await work.tools(hire)).toEqual(always)
    const by = { token: hire.token }
    expect((await work.at.call(by, 'GET', '/api/v1/me')).status).toBe(200)
    expect((await work.at.call(by, 'GET', '/api/v1/agents')).status).toBe(200)
    const denied = await work.at.call(by, 'GET', `/api/v1/memory/agents/${hire.agent_id}/memories`)
    expect(denied.status).toBeGreaterThanOrEqual(400)
    const agent = await work.at.made(work.by, 'GET', `/api/v1/agents/${hire.agent_id}`)
    expect(agent).toMatchObject({ status: 'active', origin: 'hired' })
    const board = await work.at.made<{ id: string }>(work.by, 'POST', '/api/v1/board/boards', {
      name: 'Board',
      key: 'BRD',
    })
    const tasks = `/api/v1/board/boards/${board.id}/tasks`
    const card = await work.at.made<{ id: string }>(work.by, 'POST', tasks, { title: 'Look at this' })
    const said = { body: `@agent:${hire.agent_id} are you there?` }
    await work.at.made(work.by, 'POST', `/api/v1/board/tasks/${card.id}/comments`, said)
    const told = await work.at.made<{ items: { mentions?: string[] }[] }>(
      work.by,
      'GET',
      `/api/v1/board/activity/boards/${board.id}?limit=1`,
    )
    expect(told.items[0]?.mentions).toEqual([`agent:${hire.agent_id}`])
  })

  test('HIRE-27: what cannot be removed is told, does not undo the end, and is removed later', async () => {
    const hire = await work.hire('reviewer', ['boards'], { root })
    // As if the disk were not there.
    renameSync(root, `${root}-away`)
    const { status, body } = await work.cancel(hire.hire_id, 'cancel-immediate')
    expect([status, body.management_record_deleted, body.installs_disabled]).toEqual([200, false, 1])
    expect(await work.row(hire.hire_id)).toMatchObject({ status: 'canceled', ended_at: expect.any(String) })
    expect(await countOf('management_records', hire.hire_id)).toBe(1)
    const tryAgain = async () => {
      await server.sql('update hires.removals set next_try_at = platform.now() where hire_id = $1', [
        hire.hire_id,
      ])
      await work.at.made(null, 'POST', '/api/v1/probe/hires/removals')
    }
    await tryAgain()
    const tries = 'select tries, removed_at is not null as done from hires.removals where hire_id = $1'
    expect(await server.sql(tries, [hire.hire_id])).toEqual([{ tries: 1, done: false }])
    renameSync(`${root}-away`, root)
    await tryAgain()
    expect(existsSync(join(root, work.directory(hire.hire_id)))).toBe(false)
    expect(await countOf('management_records', hire.hire_id)).toBe(0)
    expect(await server.sql(tries, [hire.hire_id])).toEqual([{ tries: 0, done: true }])
    // A worker that slept puts it back: it is looked at again, until a day has passed.
    mkdirSync(join(root, work.directory(hire.hire_id), 'sessions'), { recursive: true })
    for (const _ of [1, 2, 3]) await tryAgain()
    expect(existsSync(join(root, work.directory(hire.hire_id)))).toBe(false)
    expect(await countOf('removals', hire.hire_id)).toBe(0)
  })

  test('with an Idempotency-Key ends once, and tells the same again', async () => {
    const { hire_id } = await work.hire('reviewer', ['boards'], { root })
    const ask = () =>
      work.at.call(work.by, 'POST', `/api/v1/employees/hires/${hire_id}/cancel-immediate`, undefined, {
        'idempotency-key': hire_id,
      })
    const first = await ask()
    expect([first.status, await ask()]).toEqual([200, first])
    expect(await work.events(hire_id, 'hire.ended')).toBe(1)
  })
})

describe('who may cancel', () => {
  test.for(both)('HIRE-34, HIRE-G10, HIRE-G11: %s of any hire, by an admin of the platform', async (how) => {
    const [one, two] = [await work.hire('reviewer', []), await work.hire('docs-writer', [])]
    expect((await work.cancel(one.hire_id, how, operator)).status).toBe(200)
    const staff = { cookie: await work.at.newCookie(await work.at.newPerson(true), null) }
    expect((await work.cancel(two.hire_id, how, staff)).status).toBe(200)
    const audited = await server.sql(
      `select actor_kind, target from platform.audit_entries where brand_id = $1 and action = 'hire.canceled'
       order by created_at`,
      [work.brand_id],
    )
    expect(audited).toEqual([
      { actor_kind: 'admin_key', target: `hire:${one.hire_id}` },
      { actor_kind: 'person', target: `hire:${two.hire_id}` },
    ])
  })

  test.for(both)(
    'HIRE-35, HIRE-36: %s of a hire of the own workspace, by any member; others get 403, unknown ones 404',
    async (how) => {
      const { hire_id, token } = await work.hire('reviewer', ['boards'])
      const other = await HireWorkspace.open(server)
      const detail = 'The hire belongs to another workspace'
      expect(await other.cancel(hire_id, how)).toEqual({ status: 403, body: { detail } })
      const unknown = { status: 404, body: { detail: 'Hire not found' } }
      for (const id of [randomUUID(), 'none']) {
        expect(await work.cancel(id, how)).toEqual(unknown)
        expect(await work.cancel(id, how, operator)).toEqual(unknown)
      }
      for (const by of [null, { token }, { admin_key: 'wrong' }])
        expect([401, 403]).toContain((await work.cancel(hire_id, how, by)).status)
      expect(await work.row(hire_id)).toMatchObject({ status: 'active' })
      const member = await work.at.join(work.brand_id, 'member')
      const cookie = await work.at.newCookie(member.person_id, work.brand_id)
      expect((await work.cancel(hire_id, how, { cookie })).status).toBe(200)
    },
  )

  test.for(both)('HIRE-37, HIRE-G12: %s of a hire that is not active gets 409', async (how) => {
    const refused = { status: 409, body: { detail: 'Only an active hire can be canceled' } }
    const one = await work.hire('reviewer', ['boards'])
    await server.sql(`update hires.hires set status = 'provisioning' where id = $1`, [one.hire_id])
    expect(await work.cancel(one.hire_id, how)).toEqual(refused)
    await server.sql(`update hires.hires set status = 'active' where id = $1`, [one.hire_id])
    expect((await work.cancel(one.hire_id, 'cancel')).status).toBe(200)
    expect(await work.cancel(one.hire_id, how)).toEqual(refused)
    const two = await work.hire('docs-writer', ['boards'])
    expect((await work.cancel(two.hire_id, 'cancel-immediate')).status).toBe(200)
    expect(await work.cancel(two.hire_id, how, operator)).toEqual(refused)
  })
})

test('VER-07: agent_torn_down is deprecated in the interface, and stays in the answer', async () => {
  const { hire_id } = await work.hire('reviewer', [])
  expect((await work.cancel(hire_id, 'cancel-immediate')).body).toMatchObject({ agent_torn_down: false })
  const document = (await (await server.get('/api/v1/openapi.json')).json()) as {
    components: { schemas: Record<string, { properties: Record<string, unknown>; required: string[] }> }
  }
  const { CanceledNow, CanceledAtPeriodEnd } = document.components.schemas
  expect(CanceledNow?.properties.agent_torn_down).toMatchObject({ deprecated: true, const: false })
  expect(CanceledNow?.required).toContain('agent_torn_down')
  expect(CanceledAtPeriodEnd?.properties).not.toHaveProperty('agent_torn_down')
})

test('HIRE-G1: an employee that was canceled at the end of its period can be hired again before that', async () => {
  const { hire_id } = await work.hire('reviewer', ['boards'])
  await work.cancel(hire_id, 'cancel')
  const again = await work.hire('reviewer', ['boards'])
  expect(await work.row(again.hire_id)).toMatchObject({ status: 'active' })
  const { body } = await work.cancel(again.hire_id, 'cancel-immediate')
  expect([body.installs_disabled, body.installs_retained]).toEqual([0, 1])
})
