import { registerDesk, reportInstallEvent, sendBeat } from '@crewhall/contracts/fleet/desk-agent.ts'
import type { AnyRoute } from '@crewhall/contracts/route.ts'
import type { DeskCaller, Twist } from '@crewhall/testkit/desk-caller.ts'
import { type Answer, call, type Get } from '@crewhall/testkit/world/call.ts'

interface Registered {
  readonly env_id: string
  readonly sidecar_url: string
  readonly mesh: { readonly address: string } | null
  readonly next_in_s: number
  readonly command_key: string
}

export const report = sendBeat.example.body

/** Sends a route of desks as this desk, with a body that may differ from the one that was signed. */
export async function asDesk<Body = Record<string, unknown>>(
  get: Get,
  desk: DeskCaller,
  route: AnyRoute,
  body: object,
  twist: Twist & { readonly sent?: string } = {},
): Promise<Answer<Body>> {
  const text = JSON.stringify(body)
  const headers = { 'content-type': 'application/json', ...desk.headersFor(route, text, twist) }
  return call<Body>(get, null, route.method, route.path, twist.sent ?? text, headers)
}

export const join = (get: Get, desk: DeskCaller, more: object = {}, twist: Twist & { sent?: string } = {}) =>
  asDesk<Registered & { detail?: string }>(
    get,
    desk,
    registerDesk,
    { ...registerDesk.example.body, env_id: desk.desk_id, sidecar_url: 'http://127.0.0.1:8787', ...more },
    twist,
  )

export const beat = (get: Get, desk: DeskCaller, more: object = {}, twist: Twist & { sent?: string } = {}) =>
  asDesk(get, desk, sendBeat, { ...report, ...more }, twist)

export const tell = (get: Get, desk: DeskCaller, event: object) =>
  asDesk(get, desk, reportInstallEvent, event)
