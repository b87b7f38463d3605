import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DeskCaller } from '@crewhall/testkit/desk-caller.ts'
import { report } from './desk-agent.ts'

type Mood =
  | 'well'
  /** Signs with a nonce of its own. */
  | 'replaying'
  /** Says that it is another desk. */
  | 'another'
  /** Does not answer. */
  | 'silent'

/** Answers health checks with the key of a desk, and counts them. For what a real sidecar never does. */
export class StandInSidecar {
  mood: Mood = 'well'
  version = '0.3.0'
  asked = 0
  readonly #server: Server
  #desk: DeskCaller | undefined

  constructor() {
    this.#server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://desk')
      const desk = this.#desk
      if (!desk || pathname !== '/v1/health') return void response.writeHead(404).end()
      this.asked += 1
      if (this.mood === 'silent') return void request.socket.destroy()
      const env_id = this.mood === 'another' ? '00000000-0000-4000-8000-000000000000' : desk.desk_id
      const body = JSON.stringify({ ...report, version: this.version, env_id, boot_id: desk.boot_id })
      const nonce = this.mood === 'replaying' ? 'A'.repeat(43) : String(searchParams.get('nonce'))
      response
        .writeHead(200, { 'content-type': 'application/json', ...desk.healthHeaders(body, nonce) })
        .end(body)
    })
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  as(desk: DeskCaller): void {
    this.#desk = desk
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
