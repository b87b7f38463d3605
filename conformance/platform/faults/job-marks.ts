import { randomUUID } from 'node:crypto'
import type { TestServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { call } from '@crewhall/testkit/world/call.ts'
import type { Sql } from '@crewhall/testkit/world/database-access.ts'
import { expect } from 'vitest'

type ProbeJob = 'mark' | 'careless' | 'ladder' | 'brand-mark' | 'careless-brand-mark'

export interface Marks {
  readonly sql: Sql
  /** A row and its job in one transaction. */
  add(body?: { roll_back?: boolean; wait_seconds?: number; bulk?: boolean }): Promise<string>
  /** A job alone. */
  job(job: ProbeJob, body?: { nap_ms?: number; kill?: boolean; brand_id?: number }): Promise<string>
  effects(key: string): Promise<{ waited_ms: number }[]>
  /** Waits until the effect of a mark is there. */
  done(key: string, limitMs: number): Promise<{ waited_ms: number }>
}

/** Enqueues over HTTP, and looks into the tables of the probe for what became of it. */
export function useMarks(server: TestServer): Marks {
  const { sql } = server
  const post = async (path: string, body: object, status: number) =>
    expect((await call(server.get, null, 'POST', path, body)).status).toBe(status)
  const effects: Marks['effects'] = (key) => sql('select waited_ms from probe.effects where key = $1', [key])
  return {
    sql,
    effects,
    async add(body = {}) {
      const key = randomUUID()
      await post('/api/v1/probe/marks', { key, ...body }, body.roll_back ? 409 : 202)
      return key
    },
    async job(job, body = {}) {
      const key = randomUUID()
      await post('/api/v1/probe/jobs', { job, key, ...body }, 202)
      return key
    },
    done: (key, limitMs) => waitFor(async () => (await effects(key))[0], limitMs),
  }
}
