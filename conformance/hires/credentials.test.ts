import { randomUUID } from 'node:crypto'
import { fetchDeskHire } from '@crewhall/contracts/hires/credentials.ts'
import type { DeskCaller } from '@crewhall/testkit/desk-caller.ts'
import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { asDesk, beat } from '../fleet/desk-agent.ts'
import { useBuilds } from './build-world.ts'
import { deskHireVerbs } from './desk-hires.ts'
import { admin } from './hire-verbs.ts'

const kit = useBuilds({ DESK_NETWORKS: '127.0.0.0/8', HTTP_RATE_LIMIT_PER_MINUTE: '0' }, 'probe')
const { at, server } = kit
const { credential, joined, liveTokens, newDeskEmployer, working, works } = deskHireVerbs(kit)
beforeAll(() => server.start('worker'))

interface Fetched {
  readonly token: string
  readonly revision: number
  readonly detail?: string
}
const fetchHire = (desk: DeskCaller) => asDesk<Fetched>(server.get, desk, fetchDeskHire, {})
const told = async (desk: DeskCaller) =>
  (await beat(server.get, desk)).body.hire as { revision: number } | null

/** A builder that works, at a desk that has joined. */
async function atDesk() {
  const { employer, desks } = await newDeskEmployer()
  const hire = await working(employer, true)
  return { employer, desks, hire, desk: await joined(desks, hire.workstation_id) }
}

describe('the desk of a builder', () => {
  test('HIRE-19, HIRE-G6: comes with the hire and its repository, counts towards the cap, and is never refused by it', async () => {
    const { employer, desks } = await newDeskEmployer(1)
    const { id: project_id } = await at.made<{ id: string }>(employer, 'POST', '/api/v1/projects', {
      name: 'Shop',
    })
    await at.sql(
      `insert into code_index.repositories (brand_id, project_id, url, generation)
       values ($1, $2, 'https://git.example/shop.git', 1)`,
      [employer.brand_id, project_id],
    )
    await desks.ordered()
    const { workstation_id, ...hire } = await working(employer, true)
    expect(hire.project_id).toBe(project_id)
    const { body } = await desks.show(String(workstation_id))
    expect(body).toMatchObject({ status: 'provisioning', project_id })
    expect(body.onboarding_steps[0]?.hint).toContain('regenerate-pat')
    expect(await desks.secrets(String(workstation_id))).toEqual([])
    expect((await desks.change(String(workstation_id), {})).body).toMatchObject({
      brand_id: employer.brand_id,
      agent_id: hire.agent_id,
      project_id,
    })
    const refused = await desks.order()
    expect([refused.status, refused.body]).toMatchObject([403, { detail: { current: 2 } }])
  })

  test('gets the token and the files of its employee, and each fetch ends the token before', async () => {
    const { employer, desk, hire } = await atDesk()
    expect(await told(desk)).toEqual({ agent_id: hire.agent_id, revision: 1 })
    const first = await fetchHire(desk)
    expect(first).toEqual({
      status: 200,
      body: {
        hire_id: hire.hire_id,
        agent_id: hire.agent_id,
        mcp_url: expect.stringMatching(new RegExp(`/mcp/agents/${hire.agent_id}$`)),
        revision: 1,
        token: expect.stringMatching(/^chp_/),
        coder_profile: 'claude.hard',
        workspace_path: expect.stringMatching(/^\/srv\/crewhall\/[0-9a-z]{8}$/),
        files: [
          { name: 'PERSONA.md', content: '# Übersetzer\n' },
          { name: 'WORKING.md', content: 'By the book.\n' },
        ],
      },
    })
    expect(first.headers.get('cache-control')).toContain('no-store')
    expect(await works(first.body.token)).toBe(true)
    const second = await fetchHire(desk)
    expect([await works(first.body.token), await works(second.body.token)]).toEqual([false, true])
    const [live, ...more] = await liveTokens(hire.agent_id, employer)
    const kept = 'select token_id from hires.hires where id = $1'
    expect([more, await at.sql(kept, [hire.hire_id])]).toEqual([[], [{ token_id: live?.id }]])
    expect(live?.scopes).toEqual(['brand:read'])
    const audited = await at.sql<{ row: string }>(
      `select a::text as row from platform.audit_entries a where brand_id = $1 and action = 'hire.credential_replaced'`,
      [employer.brand_id],
    )
    expect(audited).toHaveLength(2)
    expect(JSON.stringify(audited)).not.toContain(second.body.token)
  })

  test('alone gets it: no other desk, of this workspace or another, no person and no agent', async () => {
    const { desks, desk, hire } = await atDesk()
    const stranger = await atDesk()
    const { workstation_id } = await desks.ordered()
    const neighbour = await joined(desks, workstation_id)
    const nobody = { status: 404, body: { detail: 'No employee works at this desk' } }
    expect(await fetchHire(neighbour)).toEqual(nobody)
    expect((await fetchHire(stranger.desk)).body).toMatchObject({ hire_id: stranger.hire.hire_id })
    // Signed by a neighbour in the name of the desk.
    const forged = await asDesk(server.get, neighbour, fetchDeskHire, {}, { key_id: desk.desk_id })
    expect(forged.status).toBe(401)
    const { token } = (await fetchHire(desk)).body
    for (const by of [{ cookie: desks.cookie }, { token }, admin, null])
      expect((await at.call(by, 'POST', fetchDeskHire.path, {})).status).toBe(401)
    expect(await works(token)).toBe(true)
    expect(
      (await at.sql('select from hires.hires where id = $1 and token_id is not null', [hire.hire_id])).length,
    ).toBe(1)
  })

  test('gets nothing while the employee is built', async () => {
    const { employer, desks } = await newDeskEmployer()
    const lost = await kit.newPackage()
    const { profile_id } = await kit.newWholeEmployee([lost.key])
    await lost.withdraw('1.0.0')
    const hire_id = await kit.hired(employer, profile_id)
    const { workstation_id } = await kit.until(employer, hire_id, ({ reason }) => reason !== null)
    const desk = await joined(desks, workstation_id)
    expect([await told(desk), (await fetchHire(desk)).status]).toEqual([null, 404])
    expect((await credential(employer, hire_id)).status).toBe(409)
  })

  test('loses its token when it is released, and the employee goes on without a desk', async () => {
    const { employer, desks, desk, hire } = await atDesk()
    const { token } = (await fetchHire(desk)).body
    expect((await desks.call('DELETE', `/workstations/${hire.workstation_id}`)).status).toBe(200)
    await waitFor(async () => !(await works(token)), 30_000)
    expect((await fetchHire(desk)).status).toBe(410)
    expect(await kit.read(employer, hire.hire_id)).toMatchObject({ status: 'active', workstation_id: null })
    const given = (await credential(employer, hire.hire_id)).body
    expect([given.workstation_id, await works(given.token)]).toEqual([null, true])
  })

  test('loses its token when two machines have its key, until one joins anew', async () => {
    const { desks, desk, hire } = await atDesk()
    const { token, revision } = (await fetchHire(desk)).body
    const copy = desk.again()
    const created = Math.floor(Date.now() / 1000)
    await beat(server.get, copy, {}, { created: created + 10 })
    expect((await beat(server.get, desk, {}, { created: created + 20 })).status).toBe(409)
    await waitFor(async () => !(await works(token)), 30_000)
    expect((await fetchHire(copy)).status).toBe(409)
    const next = await joined(desks, hire.workstation_id)
    expect((await told(next))?.revision).toBeGreaterThan(revision)
    expect(await works((await fetchHire(next)).body.token)).toBe(true)
  })
})

describe('the credential of an employee without a desk', () => {
  test('is shown to an admin once, works at once, and is rotated by the next call', async () => {
    const { employer } = await newDeskEmployer()
    const { hire_id, agent_id } = await working(employer, false)
    const first = await credential(employer, hire_id)
    const mcp_url = expect.stringMatching(new RegExp(`/mcp/agents/${agent_id}$`))
    const token = expect.stringMatching(/^chp_/)
    expect(first).toEqual({ status: 200, body: { hire_id, agent_id, mcp_url, workstation_id: null, token } })
    const second = await credential(employer, hire_id)
    expect([await works(first.body.token), await works(second.body.token)]).toEqual([false, true])
    expect(await liveTokens(agent_id, employer)).toHaveLength(1)
    const keyed = { 'idempotency-key': randomUUID() }
    const path = `/api/v1/employees/hires/${hire_id}/credential`
    const third = await at.call(employer, 'POST', path, undefined, keyed)
    const again = await at.call(employer, 'POST', path, undefined, keyed)
    expect([third.status, again.status]).toEqual([200, 409])
    expect(again.text).not.toContain('chp_')
  })

  test('is for admins of the workspace with a session, and for nobody else', async () => {
    const { employer } = await newDeskEmployer()
    const { hire_id } = await working(employer, false)
    const { token } = (await credential(employer, hire_id)).body
    const member = await at.join(employer.brand_id, 'member')
    const memberCookie = await at.newCookie(member.person_id, employer.brand_id)
    const foreign = (await newDeskEmployer()).employer
    const callers = [
      [{ cookie: memberCookie }, 403],
      [{ cookie: foreign.cookie }, 404],
      // The agent's own, and the operator's.
      [{ token: String(token) }, 401],
      [admin, 401],
      [null, 401],
    ] as const
    for (const [by, status] of callers) expect((await credential(by, hire_id)).status).toBe(status)
    expect((await credential(employer, randomUUID())).status).toBe(404)
    expect(await works(token)).toBe(true)
  })

  test('goes to the desk of an employee that has one, and the token there ends at once', async () => {
    const { employer, desk, hire } = await atDesk()
    const { token, revision } = (await fetchHire(desk)).body
    const answer = await credential(employer, hire.hire_id)
    expect(answer.body).toMatchObject({ workstation_id: hire.workstation_id, token: null })
    expect(answer.text).not.toContain('chp_')
    expect([await works(token), (await told(desk))?.revision]).toEqual([false, revision + 1])
    expect(await works((await fetchHire(desk)).body.token)).toBe(true)
  })

  test('has no scope that the workspace does not allow', async () => {
    const { employer } = await newDeskEmployer()
    const { hire_id, agent_id } = await working(employer, false)
    await at.sql(`update identity.brands set scope_ceiling = '{memory:read}' where id = $1`, [
      employer.brand_id,
    ])
    const { status } = await credential(employer, hire_id)
    expect([status, (await liveTokens(agent_id, employer))[0]?.scopes]).toEqual([200, []])
  })
})

describe('of credentials that are asked for at once, one works', () => {
  test.for([
    { side: 'the product', path: '/api/v1/employees/hires', isRight: true },
    { side: 'a naive twin', path: '/api/v1/probe/hires', isRight: false },
  ])('on the side of $side', { timeout: 120_000 }, async ({ path, isRight }) => {
    const { employer } = await newDeskEmployer()
    const { hire_id, agent_id } = await working(employer, false)
    const { rounds, wrong, examples } = await race({
      rounds: roundsFor(40, 0.5),
      isTwin: !isRight,
      clients: 4,
      setup: () => credential(employer, hire_id),
      act: () => at.made(employer, 'POST', `${path}/${hire_id}/credential`),
      async verdict(_, outcomes) {
        const failed = outcomes.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []))
        const { length } = await liveTokens(agent_id, employer)
        return failed.length > 0 || length !== 1 ? `${length} tokens work; ${failed}` : undefined
      },
    })
    console.log(`${wrong} of ${rounds} rounds were wrong: ${examples[0] ?? ''}`)
    expect(wrong > 0).toBe(!isRight)
  })
})
