import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { sendBeat } from '@crewhall/contracts/fleet/desk-agent.ts'
import { DeskCaller } from '@crewhall/testkit/desk-caller.ts'
import { startProcess } from '@crewhall/testkit/server-process.ts'
import { type CheckLine, ms, percentile } from '../memory/check-line.ts'
import { DesksHost } from './desks-host.ts'

const connections = 200

/** Check 21: beats of so many desks at once, each over a connection of its own. All are signed before the clock runs. */
export async function* checkBeats(rounds: number): AsyncGenerator<CheckLine> {
  const host = await DesksHost.open(20)
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const api = await startProcess({
    entry: 'apps/server/src/api.ts',
    database_url: host.database.url,
    // Desks come from many networks, and here from one.
    env: { HTTP_CHECK_ANSWERS: 'false', HTTP_MAX_OPEN_PER_NETWORK: '1000' },
  })
  try {
    const desks: DeskCaller[] = []
    for (let n = 0; n < connections; n += 1) {
      const brand = host.brand_ids[n % host.brand_ids.length] ?? 0
      const id = randomUUID()
      await host.admin.query(
        `insert into fleet.desks (brand_id, id, short_id, name, runtime, workspace_path, registered_at, sidecar_url)
         values ($1, $2, $3, 'D', 'codex', '/srv', platform.now(), 'http://127.0.0.1:9')`,
        [brand, id, n.toString(16).padStart(8, '0')],
      )
      desks.push(await DeskCaller.plant(host.admin, brand, id))
    }
    const body = JSON.stringify(sendBeat.example.body)
    const sign = (desk: DeskCaller, count: number) =>
      Array.from({ length: count }, () => desk.headersFor(sendBeat, body))
    const send = (headers: Record<string, string>) => post(agent, `${api.url}${sendBeat.path}`, headers, body)
    for (const desk of desks) for (const headers of sign(desk, 2)) await send(headers)
    const signed = desks.map((desk) => sign(desk, rounds))
    const times: number[] = []
    const begun = performance.now()
    await Promise.all(
      signed.map(async (all) => {
        for (const headers of all) times.push(await send(headers))
      }),
    )
    const rate = times.length / ((performance.now() - begun) / 1000)
    const p99 = percentile(times, 0.99)
    yield {
      check: '21',
      what: `beats over ${connections} connections, one API process, the load on the same machine`,
      measured: `${rate.toFixed(0)} a second`,
      bar: '1,000 a second',
      is_met: rate >= 1000,
    }
    yield {
      check: '21',
      what: 'the same, p50 / p99',
      measured: `${ms(percentile(times, 0.5))} / ${ms(p99)} ms`,
      bar: 'p99 750 ms',
      is_met: p99 <= 750,
    }
  } finally {
    agent.destroy()
    await api.stop()
    await host.close()
  }
}

function post(agent: Agent, url: string, headers: Record<string, string>, body: string): Promise<number> {
  const begun = performance.now()
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      agent,
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    })
    sent.on('error', reject)
    sent.on('response', (response) => {
      response.resume()
      response.on('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - begun)
        else reject(new Error(`a beat got ${response.statusCode}`))
      })
    })
    sent.end(body)
  })
}
