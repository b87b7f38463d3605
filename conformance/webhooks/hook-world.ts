import type { TestServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { type Answer, call } from '@crewhall/testkit/world/call.ts'
import { Webhook as Verifier } from 'standardwebhooks'
import { afterAll, vi } from 'vitest'
import { BoardWorkspace } from '../boards/board-workspace.ts'
import { type Received, type Receiver, startReceiver } from './receiver.ts'

/** Receivers of the tests live on the machine itself. */
export const hookEnv = { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' }

export interface Hook {
  readonly id: string
  readonly url: string
  readonly secret: string
  readonly events: string[]
  readonly board_ids: string[] | null
  readonly enabled: boolean
  readonly disabled_reason: string | null
  readonly failing_since: string | null
  readonly old_secret_until: string | null
  readonly detail?: string
}

export interface Delivery {
  readonly id: string
  readonly event: string
  readonly status: string
  readonly attempts: number
  readonly next_attempt_at: string | null
  readonly last_attempt_at: string | null
  readonly last_status: number | null
  readonly last_error: string | null
  readonly tries: readonly {
    readonly at: string
    readonly status: number | null
    readonly error: string | null
    readonly duration_ms: number
  }[]
}

export interface DeliveryPage {
  readonly items: Delivery[]
  readonly next_cursor: string | null
}

const root = '/api/v1/webhooks'

/** A workspace and what its admin does with webhooks. */
export class HookAdmin {
  readonly workspace: BoardWorkspace

  constructor(workspace: BoardWorkspace) {
    this.workspace = workspace
  }

  call<T = Hook>(method: string, path = '', body?: unknown, headers = {}): Promise<Answer<T>> {
    const { server, owner } = this.workspace
    return call(server.get, owner, method, `${root}${path}`, body, headers)
  }

  async open(url: string, more: object = {}): Promise<Hook> {
    const { status, body } = await this.call('POST', '', { url, events: ['*'], ...more })
    if (status !== 201) throw new Error(`the webhook was answered ${status}: ${JSON.stringify(body)}`)
    return body
  }

  async deliveries(hook: Hook, query = ''): Promise<DeliveryPage> {
    const { status, body } = await this.call<DeliveryPage>('GET', `/${hook.id}/deliveries${query}`)
    if (status !== 200) throw new Error(`the deliveries were answered ${status}: ${JSON.stringify(body)}`)
    return body
  }

  /** The newest delivery, once it is so. */
  settled(hook: Hook, status: string, limitMs = 30_000): Promise<Delivery> {
    return waitFor(async () => {
      const [newest] = (await this.deliveries(hook)).items
      return newest?.status === status && newest
    }, limitMs)
  }
}

export function useHookWorld(server: TestServer) {
  const receivers: Receiver[] = []
  afterAll(() => Promise.all(receivers.map((receiver) => receiver.close())))
  return {
    sql: server.sql,
    newAdmin: async () => new HookAdmin(await BoardWorkspace.open(server)),
    async newReceiver(host?: string): Promise<Receiver> {
      const receiver = await startReceiver(host)
      receivers.push(receiver)
      return receiver
    },
  }
}

/** What the public library says to it, by the clock that the sender had. Throws when it is not genuine. */
export function verified(secret: string, { body, headers }: Received): unknown {
  vi.useFakeTimers({ toFake: ['Date'], now: Number(headers['webhook-timestamp']) * 1000 })
  try {
    return new Verifier(secret).verify(body, headers)
  } finally {
    vi.useRealTimers()
  }
}

export const arrived = (receiver: Receiver, count: number, limitMs = 30_000): Promise<Received[]> =>
  waitFor(() => receiver.received.length >= count && receiver.received, limitMs)
