import { randomUUID } from 'node:crypto'
import { untilFrozen } from '@crewhall/testkit/frozen.ts'
import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { runProcess, startProcess } from '@crewhall/testkit/server-process.ts'
import { entries, useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock, type VirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

const server = useServer('probe')

const post = (url: string, path: string, body?: object) =>
  fetch(`${url}/api/v1/probe/${path}`, {
    method: 'POST',
    ...(body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}),
  })

describe('the race kit', () => {
  const seats = 5
  const clients = 20
  const rounds = roundsFor(50, 0.4)

  const raceForSeats = (firstRoom: number, naive: boolean) =>
    race({
      rounds,
      isTwin: naive,
      clients,
      setup: async (round) => firstRoom + round,
      act: async (room) => {
        const response = await post(server.api.url, `rooms/${room}/seats${naive ? '?naive=true' : ''}`)
        await response.arrayBuffer()
        return response.status
      },
      async verdict(room, outcomes) {
        const told = outcomes.map((outcome) =>
          outcome.status === 'fulfilled' ? outcome.value : outcome.reason,
        )
        const taken = told.filter((status) => status === 201).length
        const refused = told.filter((status) => status === 409).length
        const { length: rowCount } = await server.sql('select 1 from probe.seats where room_id = $1', [room])
        if (taken === seats && refused === clients - seats && rowCount === seats) return undefined
        const odd = told.filter((status) => status !== 201 && status !== 409)
        return `${rowCount} seats taken, ${taken} told so, ${refused} refused, otherwise ${[...new Set(odd)]}`
      },
    })

  test(`finds no wrong round of ${rounds} where 20 clients take five seats under a lock`, async () => {
    expect(await raceForSeats(1, false)).toEqual({ rounds, wrong: 0, examples: [] })
  })

  test('finds wrong rounds in the naive twin, which counts and then inserts', async () => {
    const { rounds, wrong, examples } = await raceForSeats(1001, true)
    console.log(`naive twin: ${wrong} of ${rounds} rounds wrong; ${examples[0]}`)
    expect(wrong).toBeGreaterThan(0)
    expect(examples.length).toBeGreaterThan(0)
  })

  test('starts the clients of a round together, and takes a failed call as an outcome', async () => {
    let inside = 0
    let most = 0
    const result = await race({
      rounds: 2,
      clients: 7,
      setup: async (round) => round,
      async act(_, n) {
        inside += 1
        most = Math.max(most, inside)
        await server.get('/api/v1/system/info')
        inside -= 1
        if (n === 3) throw new Error('this client fails')
      },
      verdict: async (round, outcomes) =>
        `${round}: ${outcomes.filter(({ status }) => status === 'rejected').length} failed`,
    })
    expect(most).toBe(7)
    expect(result).toEqual({
      rounds: 2,
      wrong: 2,
      examples: ['round 0: 0: 1 failed', 'round 1: 1: 1 failed'],
    })
  })
})

describe('the virtual clock', () => {
  const dayMs = 86_400_000
  let clock: VirtualClock

  beforeAll(() => {
    clock = createVirtualClock(server.database.name)
  })
  afterAll(() => clock?.close())

  const timeOf = async (url: string): Promise<number> => {
    const response = await fetch(`${url}/api/v1/system/health`)
    const { timestamp } = (await response.json()) as { timestamp: string }
    return Date.parse(timestamp)
  }
  const daysAhead = (time: number) => Math.round(Math.abs(time - Date.now()) / dayMs)

  test('moves two processes, the statements of the database and the jobs that wait', async () => {
    const first = await server.start('api', clock.env)
    const second = await server.start('api', clock.env)
    const worker = await server.start('worker', clock.env)
    onTestFinished(() => worker.kill())
    const key = randomUUID()
    expect((await post(first.url, 'marks', { key, wait_seconds: 86_400 })).status).toBe(202)
    expect(daysAhead(await timeOf(first.url))).toBe(0)

    await clock.advance(3 * dayMs)
    await clock.advance(4 * dayMs)

    expect(daysAhead(await timeOf(first.url))).toBe(7)
    expect(daysAhead(await timeOf(second.url))).toBe(7)
    const row = (await (await post(second.url, 'rows', { name: 'later' })).json()) as { created_at: string }
    expect(daysAhead(Date.parse(row.created_at))).toBe(7)
    await waitFor(async () => {
      const { length: rowCount } = await server.sql('select 1 from probe.effects where key = $1', [key])
      return rowCount === 1
    }, 30_000)
    // A process that does not share the clock keeps the real time.
    expect(daysAhead(await timeOf(server.api.url))).toBe(0)
  })
})

describe('fault points', () => {
  const mark = async () => {
    const key = randomUUID()
    const response = await post(server.api.url, 'marks', { key })
    expect(response.status).toBe(202)
    return key
  }
  const effects = async (key: string) =>
    (await server.sql('select 1 from probe.effects where key = $1', [key])).length

  const startWorker = async (TEST_FAULT_POINTS: string) => {
    const worker = await startProcess({
      entry: entries.probe.worker,
      database_url: server.database.url,
      env: { TEST_FAULT_POINTS },
    })
    onTestFinished(() => worker.kill())
    return worker
  }

  test('freeze a worker inside its effect, which is not visible until the worker is thawed', async () => {
    const worker = await startWorker('jobs.effect:stop@1')
    const key = await mark()
    await untilFrozen(worker)
    expect(await effects(key)).toBe(0)
    process.kill(worker.pid, 'SIGCONT')
    await waitFor(async () => (await effects(key)) === 1, 30_000)
  })

  test('kill a worker inside its effect, of which nothing remains', async () => {
    const worker = await startWorker('jobs.effect:kill@1')
    const key = await mark()
    await worker.ended
    expect(worker.child.signalCode).toBe('SIGKILL')
    expect(await effects(key)).toBe(0)
  })
})

describe('production', () => {
  const production = { ENVIRONMENT: 'production', PUBLIC_URL: 'https://crewhall.example' }
  const run = (env: Record<string, string>) =>
    runProcess({
      entry: entries.product.api,
      database_url: server.database.url,
      env: { ...production, ...env },
    })

  test.for([{ TEST_CLOCK_FILE: '/tmp/clock' }, { TEST_FAULT_POINTS: 'jobs.effect:kill@1' }])(
    'refuses to start with %o',
    async (env) => {
      await expect(run(env)).rejects.toThrow('are for tests, never for production')
    },
  )

  test('starts without test settings', async () => {
    const api = await startProcess({
      entry: entries.product.api,
      database_url: server.database.url,
      env: production,
    })
    onTestFinished(() => api.kill())
    const info = (await (await fetch(`${api.url}/api/v1/system/info`)).json()) as { environment: string }
    expect(info.environment).toBe('production')
  })
})
