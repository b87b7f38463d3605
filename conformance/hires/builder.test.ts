import { mkdtempSync, rmSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { routes } from '@crewhall/contracts/routes.ts'
import { McpCaller } from '@crewhall/testkit/mcp/mcp-caller.ts'
import { callRoute } from '@crewhall/testkit/mcp/route-tools.ts'
import { useSidecars } from '@crewhall/testkit/sidecar-process.ts'
import { afterAll, expect, test } from 'vitest'
import type { Card } from '../boards/board-workspace.ts'
import { everything, placesOf } from '../platform/erasure/everything.ts'
import { useBuilds } from './build-world.ts'
import { deskHireVerbs } from './desk-hires.ts'

const kit = useBuilds({ DESK_NETWORKS: '127.0.0.0/8', LOG_LEVEL: 'debug' })
const sidecars = useSidecars()
const { at, server } = kit
const { newDeskEmployer, works } = deskHireVerbs(kit)
const workspaces_dir = mkdtempSync(join(tmpdir(), 'workspaces-'))
afterAll(() => rmSync(workspaces_dir, { recursive: true }))

/** The one that every installation has. */
const builder = '2a8d1274-198e-4e51-b8b0-14809a688932'
const limitMs = 60_000

test(
  'HIRE-17, HIRE-19, HIRE-31: a builder is hired, works from its desk over MCP with a token that is there alone, and is gone with its cancellation',
  async () => {
    const [api, worker] = [await server.start('api'), await server.start('worker')]
    const { employer, desks } = await newDeskEmployer()
    const board = await at.made<{ id: string }>(employer, 'POST', '/api/v1/board/boards', {
      name: 'Shop',
      key: 'SHOP',
    })
    const tasks = `/api/v1/board/boards/${board.id}/tasks`
    const card = await at.made<Card>(employer, 'POST', tasks, { title: 'Mind the carry' })

    const { hire_id, workstation_id } = await kit.active(employer, await kit.hired(employer, builder))
    const { body: command } = await desks.call<{ pat: string }>(
      'POST',
      `/workstations/${workstation_id}/regenerate-pat`,
    )
    const sidecar = await sidecars.start({
      server_url: api.url,
      env_id: String(workstation_id),
      pat: command.pat,
      settings: { workspaces_dir },
    })
    await sidecar.logged('an employee works at this desk')
    const [short = ''] = await readdir(workspaces_dir)
    const inFolder = (name: string) => join(workspaces_dir, short, 'agent', name)
    expect((await readdir(inFolder(''))).sort()).toEqual([
      ...['.agent.json', '.token', 'BUILDING.md', 'DELIVERING.md', 'DESK.md', 'PERSONA.md', 'WORKING.md'],
    ])
    expect((await stat(inFolder('.token'))).mode & 0o777).toBe(0o600)
    const persona = await readFile('apps/server/catalog/builder/PERSONA.md', 'utf8')
    expect(await readFile(inFolder('PERSONA.md'), 'utf8')).toBe(persona)
    const { mcp_url, token_file, agent_id } = JSON.parse(await readFile(inFolder('.agent.json'), 'utf8'))
    expect(token_file).toBe(inFolder('.token'))
    const token = (await readFile(token_file, 'utf8')).trim()

    const get = (path: string, init?: RequestInit) => fetch(`${api.url}${path}`, init)
    const agent = new McpCaller(get, { token }, { path: new URL(mcp_url).pathname })
    const { boards, memory } = routes
    const claim = await callRoute(agent, boards.claimCard, { task_id: card.ref, lease_seconds: 900 })
    expect([claim.verdict, claim.said]).toEqual([200, expect.stringContaining(`holder: agent:${agent_id}`)])
    const note = { agent_id, kind: 'fact', title: 'Carries', body: 'Never round before the carry.' }
    const added = await callRoute(agent, memory.createMemory, note)
    expect(added.verdict).toBe(200)

    const canceled = await at.call(employer, 'POST', `/api/v1/employees/hires/${hire_id}/cancel-immediate`)
    expect([canceled.status, canceled.body]).toMatchObject([
      200,
      { status: 'canceled', installs_disabled: 3 },
    ])
    for (const [route, fields] of [
      [boards.getCard, { task_id: card.ref }],
      [memory.createMemory, note],
    ] as const)
      expect((await callRoute(agent, route, fields)).verdict).not.toBe(200)
    // It is still the agent of the workspace, without its tools.
    expect(await works(token)).toBe(true)
    // What it did stays: the card, and what it has written down.
    const shown = await at.made<{ title: string }>(employer, 'GET', `/api/v1/board/tasks/${card.id}`)
    expect(shown.title).toBe('Mind the carry')
    const kept = await at.made<{ memories: { title: string }[] }>(
      employer,
      'GET',
      `/api/v1/memory/memories?agent_id=${agent_id}`,
    )
    expect(kept.memories.map(({ title }) => title)).toEqual(['Carries'])
    expect((await desks.show(String(workstation_id))).status).toBe(200)

    // It hears of it with its next beat, which it sends when it starts.
    expect(await sidecar.stop()).toBe(0)
    const again = sidecars.run(sidecar.place)
    await again.logged('the employee has left this desk')
    expect(await readdir(inFolder(''))).not.toContain('.token')
    expect(await readdir(inFolder(''))).toContain('PERSONA.md')
    expect(await again.stop()).toBe(0)

    const everywhere = await everything(server.database, await server.connection('superuser'))
    await Promise.all([api.stop(), worker.stop()])
    const logs = [api, worker, sidecar, again].flatMap(({ lines }) => lines).join('\n')
    expect(logs).toContain('/api/v1/desk-agent/hire')
    expect(placesOf(everywhere, hire_id)).not.toEqual([])
    const secret = token.slice('chp_'.length)
    expect(secret.length).toBeGreaterThan(20)
    expect([placesOf(everywhere, secret), logs.includes(secret)]).toEqual([[], false])
    const state = await readdir(sidecar.place.state_dir, { withFileTypes: true })
    for (const each of state.filter((entry) => entry.isFile()))
      expect(await readFile(join(each.parentPath, each.name), 'utf8')).not.toContain(secret)
  },
  2 * limitMs,
)
