import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findServiceFacts, type ServiceFacts } from '@crewhall/services/facts.ts'
import { killPart } from '@crewhall/services/kill-part.ts'
import type { Part } from '@crewhall/services/part.ts'
import { startPart, stopPart } from '@crewhall/services/part-lifecycle.ts'
import { makeParts } from '@crewhall/services/parts.ts'
import { ensureFacts } from '@crewhall/services/plan-facts.ts'
import { afterAll, beforeAll } from 'vitest'

type PrivateName = 'postgres' | 'redis'

export interface PrivateServices {
  readonly facts: ServiceFacts
  /** For the environment of a process that uses these services. */
  readonly env: Record<string, string>
  /** Starts the service, or thaws it. Returns when it can be used. */
  start(name: PrivateName): Promise<void>
  /** As an operator stops it. */
  stop(name: PrivateName): Promise<void>
  /** To every process of the service, children included. */
  signal(name: PrivateName, signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): Promise<void>
  close(): Promise<void>
}

const names: readonly PrivateName[] = ['postgres', 'redis']
const prefix = 'crewhall-private-'

/** Servers that nobody else uses, so that a test may stop, freeze and kill them. */
export async function startPrivateServices(): Promise<PrivateServices> {
  await sweepAbandoned()
  const root = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`))
  const facts = await ensureFacts(root)
  const parts = makeParts(facts, names)
  const close = () => erase(root, parts)
  const partOf = (name: PrivateName): Part => {
    const part = parts.find((one) => one.name === name)
    if (!part) throw new Error(`${name} is not among the private services`)
    return part
  }
  try {
    await Promise.all(parts.map(startPart))
  } catch (error) {
    await close()
    throw error
  }
  return {
    facts,
    env: {
      DATABASE_URL: facts.postgres.url,
      DATABASE_OWNER_URL: facts.postgres.owner_url,
      REDIS_URL: facts.redis.url,
    },
    start: async (name) => {
      await startPart(partOf(name))
    },
    stop: async (name) => {
      await stopPart(partOf(name))
    },
    signal: async (name, signal) => {
      const reached = await killPart(name, signal, root)
      if (reached === 0) throw new Error(`${name} has no process that could get ${signal}`)
    },
    close,
  }
}

/** Private services for one test file. */
export function usePrivateServices(): PrivateServices {
  let services: PrivateServices | undefined
  const need = () => {
    if (!services) throw new Error('the services are up only while tests run')
    return services
  }
  beforeAll(async () => {
    services = await startPrivateServices()
  })
  afterAll(() => services?.close())
  return {
    get facts() {
      return need().facts
    },
    get env() {
      return need().env
    },
    start: (name) => need().start(name),
    stop: (name) => need().stop(name),
    signal: (name, signal) => need().signal(name, signal),
    close: () => need().close(),
  }
}

/** Nothing in there is wanted any more, so nothing is asked to end politely. */
async function erase(root: string, parts: readonly Part[]): Promise<void> {
  for (const { name } of parts) await killPart(name, 'SIGKILL', root)
  rmSync(root, { recursive: true, force: true })
}

/** A test process that was killed could not clean up after itself; the next one does. */
async function sweepAbandoned(): Promise<void> {
  for (const entry of readdirSync(tmpdir())) {
    if (!entry.startsWith(prefix)) continue
    if (isAlive(Number.parseInt(entry.slice(prefix.length), 10))) continue
    const root = join(tmpdir(), entry)
    const facts = findServiceFacts(root)
    await erase(root, facts ? makeParts(facts, names) : [])
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
