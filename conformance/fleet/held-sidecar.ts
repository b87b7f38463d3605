import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DeskCaller } from '@crewhall/testkit/desk-caller.ts'
import { report } from './desk-agent.ts'

/** Answers health checks of a desk when it is told to, and not before. */
export class HeldSidecar {
  asked = 0
  /** How long each check was waited for that whoever asked has given up. */
  readonly given_up_ms: number[] = []
  desk: DeskCaller | undefined
  readonly #held = new Set<{ request: IncomingMessage; response: ServerResponse }>()
  readonly #server: Server

  constructor() {
    this.#server = createServer((request, response) => {
      this.asked += 1
      const each = { request, response }
      const since = performance.now()
      this.#held.add(each)
      response.on('close', () => {
        if (this.#held.delete(each)) this.given_up_ms.push(performance.now() - since)
      })
    })
  }

  /** Checks that wait for an answer. */
  get waiting(): number {
    return this.#held.size
  }

  answer(): void {
    for (const each of this.#held) {
      this.#held.delete(each)
      const { desk } = this
      if (!desk) throw new Error('it is nobody’s sidecar yet')
      const nonce = new URL(each.request.url ?? '', 'http://desk').searchParams.get('nonce')
      const body = JSON.stringify({ ...report, env_id: desk.desk_id, boot_id: desk.boot_id })
      const headers = { 'content-type': 'application/json', ...desk.healthHeaders(body, String(nonce)) }
      each.response.writeHead(200, headers).end(body)
    }
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
