import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll } from 'vitest'
import type { MemoryWorkspace } from './memory-world.ts'

export interface MemoryFile {
  readonly state: string
  readonly reason: string | null
  readonly path: string
  readonly memories: number
  readonly lines: number
  readonly bytes: number
  readonly is_due: boolean
  readonly written_at: string | null
  readonly checked_at: string | null
}

/** A directory for the files of agents that ends with the file of tests. */
export function agentFilesDir(): string {
  const dir = fs.mkdtempSync(join(tmpdir(), 'crewhall-agents-'))
  afterAll(() => fs.rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** The MEMORY.md of the agent of a workspace. */
export class AgentFile {
  readonly folder: string
  readonly path: string

  constructor(dir: string, { brand_id, agent }: MemoryWorkspace) {
    this.folder = join(dir, String(brand_id), agent)
    this.path = join(this.folder, 'MEMORY.md')
  }

  get text(): string {
    return fs.existsSync(this.path) ? fs.readFileSync(this.path, 'latin1') : ''
  }

  /** What the lines of memories say, without their ids. */
  get items(): string[] {
    const lines = Buffer.from(this.text, 'latin1').toString('utf8').split(/\r?\n/)
    return lines.flatMap((line) => /^- \[m:[0-9a-f]+\.[0-9a-f]{6}\] (.*)$/.exec(line)?.[1] ?? [])
  }

  get leftovers(): string[] {
    return fs.readdirSync(this.folder).filter((name) => name !== 'MEMORY.md')
  }

  /** As a program of somebody else would. */
  write(text: string): void {
    fs.mkdirSync(this.folder, { recursive: true })
    fs.writeFileSync(this.path, text, 'latin1')
  }
}

export const stateOf = async (work: MemoryWorkspace): Promise<MemoryFile> =>
  (await work.call<MemoryFile>('GET', `/agents/${work.agent}/file`)).body

const jobs = `select from pgboss.job where name in ('memory.export', 'memory.export-workspace')
  and state in ('created', 'retry', 'active')`

/** Waits for the end of the exports that began with the last hour. */
export async function exportsDone(server: TestServer, since: number): Promise<void> {
  await waitFor(
    async () => (await countExports(server)) > since && (await server.sql(jobs)).length === 0,
    60_000,
  )
}

/** How many hourly runs were begun. */
export const countExports = async (server: TestServer): Promise<number> =>
  (await server.sql(`select from pgboss.job where name = 'memory.export'`)).length
