import { McpCaller } from '@crewhall/testkit/mcp/mcp-caller.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Body, useServices } from './services-world.ts'

const { server, at, newTeam, newAgent, open, issue, close, newStaffed, change, works } = useServices()
let other: ServerProcess
beforeAll(async () => {
  other = await server.start('api')
})

describe('the credential of an agent', () => {
  test('outlives whoever ordered it', async () => {
    const one = await newStaffed()
    const next = await at.join(one.brand_id, 'admin')
    const cookie = await at.newCookie(next.person_id, one.brand_id)
    const path = `/api/v1/brands/${one.brand_id}/members/${one.admin.person_id}`
    expect((await at.call({ cookie }, 'DELETE', path)).status).toBe(200)
    expect(await works(one.token)).toBe(401)
    expect(await works(one.service)).toBe(200)
  })

  test('AUTH-11 ends with the service on the next request, and what is opened again is the same person', async () => {
    const one = await newStaffed()
    for (const _ of [1, 2]) expect(await works(one.service)).toBe(200)
    expect((await close(one, one.agent_id)).status).toBe(200)
    expect(await works(one.service)).toBe(401)
    expect((await close(one, one.agent_id)).status).toBe(200)
    expect((await issue(one, one.agent_id)).body).toEqual({ detail: 'The agent has no service account' })
    expect((await open(one, one.agent_id)).body).toEqual({ person_id: one.person_id, is_new: true })
    expect((await open(one, one.agent_id)).body).toEqual({ person_id: one.person_id, is_new: false })
    expect(await works(one.service)).toBe(401)
    expect(await works(String((await issue(one, one.agent_id)).body.token))).toBe(200)
  })

  test('ends with its agent, whose name it follows until then', async () => {
    const one = await newStaffed()
    const path = `/api/v1/agents/${one.agent_id}`
    await at.made({ token: one.token }, 'PATCH', path, { name: 'Nut' })
    const names = await at.sql('select full_name from identity.people where id = $1', [one.person_id])
    expect(names).toEqual([{ full_name: 'Nut' }])
    await at.made({ token: one.token }, 'POST', `${path}/retire`)
    expect(await works(one.service)).toBe(401)
    const status = 'select status from identity.memberships where person_id = $1'
    expect(await at.sql(status, [one.person_id])).toEqual([{ status: 'removed' }])
    expect((await open(one, one.agent_id)).body).toEqual({ detail: 'The agent is retired' })
    expect((await issue(one, one.agent_id)).body).toEqual({ detail: 'The agent is retired' })
  })

  test('lasts a year, and is renewed without a new secret', async () => {
    const one = await newStaffed()
    await at.sql(`update identity.tokens set expires_at = now() + interval '1 minute' where id = $1`, [
      one.token_id,
    ])
    expect(await change(one, one.token_id, 'renew')).toBe(true)
    const [row] = await at.sql(
      `select expires_at > now() + interval '365 days' as lasts from identity.tokens where id = $1`,
      [one.token_id],
    )
    expect(row).toEqual({ lasts: true })
    expect(await works(one.service)).toBe(200)
  })

  test('AUTH-11 loses scopes on the next request, also in a process that knows it, and gets none', async () => {
    const one = await newStaffed()
    const { body } = await issue(one, one.agent_id, ['brand:read', 'memory:read'])
    const [id, token] = [String(body.id), String(body.token)]
    const read = (url: string) =>
      fetch(`${url}/api/v1/probe/auth/things`, { headers: { authorization: `Bearer ${token}` } })
    const processes = [server.api.url, other.url]
    for (const url of processes) expect((await read(url)).status).toBe(200)
    expect(await change(one, id, 'narrow', { scopes: ['brand:read', 'brand:admin'] })).toBe(true)
    for (const url of processes) expect((await read(url)).status).toBe(403)
    expect(await works(token)).toBe(200)
    const scopes = () => at.sql('select scopes from identity.tokens where id = $1', [id])
    expect(await scopes()).toEqual([{ scopes: ['brand:read'] }])
    expect(await change(one, id, 'narrow', { scopes: ['brand:read', 'memory:read'] })).toBe(true)
    expect(await scopes()).toEqual([{ scopes: ['brand:read'] }])
    const entries = await at.sql(
      `select old_value, new_value from platform.audit_entries where action = 'token.narrowed' and target = $1`,
      [`token:${id}`],
    )
    expect(entries).toEqual([
      { old_value: { scopes: ['brand:read', 'memory:read'] }, new_value: { scopes: ['brand:read'] } },
    ])
  })

  test('AUTH-11 ends on the next request when all but another are revoked, and is not revived', async () => {
    const one = await newStaffed()
    const kept = (await issue(one, one.agent_id)).body
    for (const token of [one.service, String(kept.token)]) expect(await works(token)).toBe(200)
    expect(await change(one, String(kept.id), 'keep')).toBe(true)
    expect(await works(one.service)).toBe(401)
    expect(await works(String(kept.token))).toBe(200)
    expect(await change(one, one.token_id, 'renew')).toBe(false)
    expect(await change(one, one.token_id, 'narrow', { scopes: [] })).toBe(false)
    expect(await works(one.service)).toBe(401)
    // Of a person, of another workspace, of a service that was closed.
    const [other, mine] = [await newStaffed(), await at.newToken(one.member, ['brand:read'])]
    const [own] = await at.sql<{ id: string }>(
      'select id from identity.tokens where brand_id = $1 and person_id = $2 and revoked_at is null',
      [one.brand_id, one.member.person_id],
    )
    for (const id of [own?.id ?? '', other.token_id]) {
      expect(await change(one, id, 'narrow', { scopes: [] })).toBe(false)
      expect(await change(one, id, 'renew')).toBe(false)
    }
    expect([await works(mine), await works(other.service)]).toEqual([200, 200])
    await close(one, one.agent_id)
    expect(await change(one, String(kept.id), 'renew')).toBe(false)
  })

  test('has no scope that the workspace does not allow, and loses those that it forbids later', async () => {
    const team = await newTeam()
    const agent_id = await newAgent(team)
    await open(team, agent_id)
    await at.sql(
      `update identity.brands set scope_ceiling = '{brand:read,memory:read,brand:admin}' where id = $1`,
      [team.brand_id],
    )
    expect(await issue(team, agent_id, ['memory:read', 'memory:write'])).toEqual({
      status: 403,
      body: { detail: 'The workspace policy does not allow scope memory:write' },
    })
    const { body } = await issue(team, agent_id, ['memory:read'])
    const read = () =>
      at.call(null, 'GET', '/api/v1/probe/auth/things', undefined, bearer(String(body.token)))
    expect((await read()).status).toBe(200)
    await at.sql(`update identity.brands set scope_ceiling = '{brand:read}' where id = $1`, [team.brand_id])
    expect((await read()).status).toBe(403)
  })

  test('is of no other agent and no other workspace', async () => {
    const [one, other] = [await newStaffed(), await newTeam()]
    const unknown = { status: 403, body: { detail: 'This agent does not belong to the workspace' } }
    for (const agent_id of [one.agent_id, 'nobody']) {
      expect(await open(other, agent_id)).toEqual(unknown)
      expect(await issue(other, agent_id)).toEqual(unknown)
      expect(await close(other, agent_id)).toEqual(unknown)
    }
    await newAgent(one, 'second', 'Second')
    await at.sql(`update identity.tokens set agent_id = 'second' where id = $1`, [one.token_id])
    expect(await works(one.service)).toBe(401)
    await at.sql('update identity.tokens set agent_id = null where id = $1', [one.token_id])
    expect(await works(one.service)).toBe(401)
  })

  test('opens the addresses for tools, that of its agent too, until it ends', async () => {
    const one = await newStaffed()
    const list = (path: string) =>
      new McpCaller(server.get, { token: one.service }, { path }).send<{ tools: Body[] }>('tools/list')
    for (const path of ['/mcp', '/mcp/readonly', `/mcp/agents/${one.agent_id}`]) {
      const { status, result } = await list(path)
      expect([path, status]).toEqual([path, 200])
      expect(result?.tools.map(({ name }) => name)).toContain('whoami')
    }
    await newAgent(one, 'second', 'Second')
    const [second, unknown] = [await list('/mcp/agents/second'), await list('/mcp/agents/nobody')]
    expect(second.status).toBeGreaterThanOrEqual(400)
    expect([second.status, second.error]).toEqual([unknown.status, unknown.error])
    await close(one, one.agent_id)
    expect((await list('/mcp')).status).toBe(401)
    expect((await list(`/mcp/agents/${one.agent_id}`)).status).toBe(401)
  })

  test('is audited without its secret', async () => {
    const one = await newStaffed()
    await close(one, one.agent_id)
    const entries = await at.sql<{ action: string; text: string }>(
      `select action, concat(target, old_value, new_value) as text from platform.audit_entries
       where brand_id = $1 and action ~ '^(service|token)' order by id`,
      [one.brand_id],
    )
    expect(entries.map(({ action }) => action)).toEqual([
      'service.opened',
      'token.issued',
      'token.revoked',
      'service.closed',
    ])
    expect(JSON.stringify(entries)).not.toContain(one.service.slice(4, 20))
  })
})
