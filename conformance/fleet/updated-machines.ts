import { type Answer, type Credential, call, type Get } from '@crewhall/testkit/world/call.ts'
import type { WorldServer } from '@crewhall/testkit/world/workspace.ts'
import { DeskWorkspace } from './desk-workspace.ts'

export interface ShownUpdate {
  readonly id: string
  readonly state: string
  readonly error: string | null
  readonly started_at: string | null
  readonly ended_at: string | null
  readonly from_version: string | null
  readonly to_version: string | null
}
interface Requested {
  readonly queued: number
  readonly failed: number
  readonly requests: readonly { machine_id: string; status: string; error: string | null }[]
}

/** A workspace whose admin requests updates. */
export class UpdatedMachines {
  readonly at: DeskWorkspace
  readonly #get: Get
  readonly #admin: Credential

  constructor(at: DeskWorkspace, get: Get, token: string) {
    this.at = at
    this.#get = get
    this.#admin = { token }
  }

  static async open(server: WorldServer): Promise<UpdatedMachines> {
    const at = await DeskWorkspace.open(server)
    const admin = await at.world.join(at.brand_id, 'admin')
    return new UpdatedMachines(at, server.get, await at.world.newToken(admin))
  }

  async request(id: string): Promise<string> {
    const { status, body } = await call<{ id: string }>(
      this.#get,
      this.#admin,
      'POST',
      `/api/v1/machines/${id}/updates`,
    )
    if (status !== 202) throw new Error(`the update was refused with ${status}: ${JSON.stringify(body)}`)
    return body.id
  }

  requestAll(): Promise<Answer<Requested>> {
    return call<Requested>(this.#get, this.#admin, 'POST', '/api/v1/machines/updates')
  }

  async updates(id: string): Promise<readonly ShownUpdate[]> {
    const path = `/api/v1/machines/${id}/updates`
    const { body } = await call<{ updates: ShownUpdate[] }>(this.#get, this.#admin, 'GET', path)
    return body.updates
  }

  async requestLogs(id: string): Promise<void> {
    const { status } = await call(this.#get, this.#admin, 'POST', `/api/v1/machines/${id}/logs`)
    if (status !== 202) throw new Error(`the request for logs was refused with ${status}`)
  }

  /** What the machine has sent; undefined while it has not. */
  async logs(id: string): Promise<string | undefined> {
    const path = `/api/v1/machines/${id}/logs`
    const { body } = await call<{ text: string | null }>(this.#get, this.#admin, 'GET', path)
    return body.text ?? undefined
  }

  /** The newest. */
  async update(id: string): Promise<ShownUpdate> {
    const [newest] = await this.updates(id)
    if (!newest) throw new Error('there was no request')
    return newest
  }
}
