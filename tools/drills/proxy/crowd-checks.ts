import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import type { DrillCheck } from '../drill.ts'
import { expectThat } from '../expect-that.ts'
import { ask, openTls } from './proxy-client.ts'
import type { StartedProxy } from './started-proxy.ts'

const silentCount = 8400
const idleCount = 1000
const slowCount = 500
const plainCount = 100

/** Ten thousand connections that do nothing, or next to nothing, while somebody else works. */
export async function checkCrowd(check: DrillCheck, proxy: StartedProxy): Promise<void> {
  await check('10,000 idle and slow connections stop nobody, and are closed', async () => {
    const open = new Set<Socket>()
    const connected = new Set<Socket>()
    let most = 0
    const keep = (socket: Socket) => {
      open.add(socket)
      const count = () => {
        connected.add(socket)
        most = Math.max(most, connected.size)
      }
      if (socket.connecting) socket.once('connect', count)
      else count()
      // What is not read would hide that the other side has closed.
      socket.resume().on('error', () => {})
      socket.on('close', () => {
        open.delete(socket)
        connected.delete(socket)
      })
      return socket
    }
    const before = memoryOf(proxy.pid)
    try {
      // Those after a request may stay, so they come first: the others have ten seconds.
      await inBatches(idleCount, 64, async () => {
        const socket = keep(await openTls(proxy))
        socket.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n')
        await new Promise((resolve) => socket.once('data', resolve).once('close', resolve))
      })
      const lives: number[] = []
      await inBatches(slowCount, 64, async () => dribble(keep(await openTls(proxy)), lives))
      // The port that only sends on must not be the way in.
      await inBatches(plainCount, plainCount, async () => {
        const socket = keep(connect({ host: '127.0.0.1', port: Number(new URL(proxy.plain_url).port) }))
        await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
        dribble(socket, lives)
      })
      await inBatches(silentCount, silentCount, async (at) => {
        const socket = keep(connect(placeOf(proxy, at)))
        await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
      })
      const waits: number[] = []
      const late = performance.now() + 40_000
      while (open.size > idleCount && performance.now() < late) {
        const start = performance.now()
        const { status } = await ask(proxy, '/api/v1/system/health')
        expectThat(status === 200, `somebody else was answered ${status}`)
        waits.push(performance.now() - start)
      }
      const memory = memoryOf(proxy.pid) - before
      expectThat(open.size <= idleCount, `${open.size - idleCount} slow and silent ones are still there`)
      expectThat(
        most >= 0.98 * (silentCount + idleCount + slowCount + plainCount),
        `only ${most} were open at once`,
      )
      const longest = Math.max(...lives) / 1000
      expectThat(
        lives.length === slowCount + plainCount && longest < 25,
        `slow headers were let in for ${longest} s`,
      )
      waits.sort((a, b) => a - b)
      const worst = waits.at(-1) ?? Number.POSITIVE_INFINITY
      const p50 = waits[Math.floor(waits.length / 2)] ?? 0
      expectThat(worst < 2000, `somebody else waited ${worst.toFixed(0)} ms`)
      const others = `${waits.length} requests of others: median ${p50.toFixed(0)} ms, worst ${worst.toFixed(0)} ms`
      return [true, `${most} open; ${others}; slow ones lived ${longest.toFixed(0)} s; ${memory} MB`]
    } finally {
      for (const socket of open) socket.destroy()
    }
  })
}

/** Sends a header that never ends, a letter each second, and notes how long it is let. */
function dribble(socket: Socket, lives: number[]): void {
  const began = performance.now()
  socket.write('GET /api/v1/system/info HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')
  const letters = setInterval(() => socket.writable && socket.write('x'), 1000)
  socket.on('close', () => {
    clearInterval(letters)
    lives.push(performance.now() - began)
  })
}

/** From many addresses, so that ports do not run out. */
const placeOf = (proxy: StartedProxy, at: number) => ({
  host: '127.0.0.1',
  port: Number(new URL(proxy.url).port),
  localAddress: `127.0.8.${1 + (at % 200)}`,
})

async function inBatches(
  count: number,
  at_once: number,
  work: (at: number) => Promise<void> | void,
): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) {
      const at = next
      next += 1
      await work(at)
    }
  }
  await Promise.all(Array.from({ length: at_once }, worker))
}

/** Of the process and those that it started, in MB. */
function memoryOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  const kilobytes = [String(pid), ...children].map((each) => {
    const status = readFileSync(`/proc/${each}/status`, 'utf8')
    return Number(/VmRSS:\s*(\d+)/.exec(status)?.[1] ?? 0)
  })
  return Math.round(kilobytes.reduce((sum, each) => sum + each, 0) / 1024)
}
