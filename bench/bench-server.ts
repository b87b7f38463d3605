import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, openSync } from 'node:fs'
import { freePort } from '@crewhall/testkit/free-port.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'

export interface BenchServer {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

/** Like production: the log goes to a file, nobody reads along, and nothing but requests is measured. */
export async function startBenchServer(entry: string, env: Record<string, string>): Promise<BenchServer> {
  const port = await freePort()
  mkdirSync('.reports', { recursive: true })
  const log = openSync('.reports/bench-server.log', 'a')
  const child: ChildProcess = spawn(process.execPath, [entry], {
    stdio: ['ignore', log, log],
    env: { PATH: process.env.PATH, METRICS_PORT: '0', HTTP_PORT: String(port), ...env },
  })
  const url = `http://127.0.0.1:${port}`
  const stop = async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
  }
  try {
    await waitFor(async () => (await fetch(`${url}/api/v1/system/info`)).ok, 60_000)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    url,
    pid: child.pid ?? 0,
    stop,
  }
}
