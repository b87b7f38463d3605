import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { redeemDeviceCode, requestDeviceCode } from '@crewhall/contracts/identity/device.ts'
import { z } from 'zod'
import type { CommonFlags, Context } from '../context.ts'
import { cancelled, Failure, failed, signInNeeded } from '../failure.ts'
import { Caller } from '../transport/caller.ts'
import { sessionOf } from '../transport/credential.ts'
import { version } from '../version.ts'
import { openAddress } from './open.ts'

export interface DeviceFlags extends CommonFlags {
  readonly scopes?: string
  readonly web?: boolean
}

/** What we act on is checked: a service may be anybody's. */
const Started = z.object({
  device_code: z.string().min(1).max(200),
  user_code: z.string().min(1).max(40),
  verification_uri: z.url({ protocol: /^https?$/ }).max(500),
  verification_uri_complete: z.url({ protocol: /^https?$/ }).max(500),
  expires_in: z.number(),
  interval: z.number(),
})
const Handed = z.object({
  token_type: z.enum(['Bearer', 'Cookie']),
  access_token: z.string().regex(/^[\x21-\x7e]{10,400}$/),
  cookie_name: z.string().nullable(),
})
const Refused = z.object({ error: z.string(), interval: z.number().optional() })

const within = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most)
const slowerBy = 5

/** RFC 8628: somebody confirms a code in a browser, and what they have let in is fetched here. Returns the credential. */
export async function signInByDevice(context: Context, host: string, flags: DeviceFlags): Promise<string> {
  const limit_ms = 30_000
  const caller = new Caller({ host, token: undefined, version, limit_ms, signal: context.signal })
  const started = Started.safeParse((await caller.call(requestDeviceCode, { body: asked(flags) })).body)
  if (!started.success) throw failed(`${host} did not respond as a sign-in does`)
  const { device_code, user_code, verification_uri, expires_in } = started.data
  // Not a note: without it nobody can go on, wherever standard error goes.
  context.printer.warn(`Your code: ${user_code}`)
  context.printer.warn(`Confirm it at ${verification_uri}`)
  if (flags.web) await openPage(context, host, started.data.verification_uri_complete)
  const end = Date.now() + (within(expires_in, 1, 1800) + 120) * 1000
  let interval = within(started.data.interval, 1, 60)
  while (Date.now() < end) {
    await wait(interval * 1000, undefined, { signal: context.signal }).catch(() => {
      throw cancelled()
    })
    const told = await poll(caller, device_code)
    if (typeof told === 'string') return told
    interval = within(told.interval ?? interval + told.slower, interval, 60)
  }
  throw expired()
}

function asked({ scopes }: DeviceFlags): object {
  // What a computer calls itself may be anything; the service takes what a host name may have.
  const host = hostname()
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 63)
  const body = {
    ...(host === '' ? {} : { host }),
    ...(scopes === undefined
      ? {}
      : {
          scopes: scopes
            .split(',')
            .map((each) => each.trim())
            .filter(Boolean),
        }),
  }
  const checked = requestDeviceCode.body.safeParse(body)
  if (!checked.success) throw failed(`--scopes: ${checked.error.issues[0]?.message}`)
  return body
}

interface Later {
  readonly slower: number
  readonly interval?: number | undefined
}

async function poll(caller: Caller, device_code: string): Promise<string | Later> {
  try {
    const { body } = await caller.call(redeemDeviceCode, { body: { device_code } })
    return credentialIn(body)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // Such a poll may be made again, later (RFC 8628, 3.5).
    if (error.ending === 'away' || error.ending === 'limited') return { slower: slowerBy }
    const refused = Refused.safeParse(error.detail)
    if (!refused.success) throw error
    const word = refused.data.error
    if (word === 'authorization_pending') return { slower: 0 }
    if (word === 'slow_down') return { slower: slowerBy, interval: refused.data.interval }
    if (word === 'access_denied')
      throw signInNeeded('the sign-in was denied', 'crewhall auth login starts again')
    if (word === 'expired_token') throw expired()
    throw error
  }
}

const expired = (): Failure =>
  signInNeeded('nobody confirmed the code in time', 'crewhall auth login starts again')

function credentialIn(body: unknown): string {
  const handed = Handed.safeParse(body)
  if (handed.success) {
    const { token_type, access_token, cookie_name } = handed.data
    const found = token_type === 'Bearer' ? access_token : sessionOf(cookie_name ?? '', access_token)
    if (found !== undefined) return found
  }
  throw failed('the service did not hand over a sign-in that can be used')
}

/** Only a page of the service itself: nobody else decides what a browser opens here. */
async function openPage(context: Context, host: string, page: string): Promise<void> {
  if (new URL(page).origin !== host) {
    context.printer.warn(`crewhall: the page is not one of ${host}, so it is not opened`)
    return
  }
  await openAddress(context, page).catch((error: Error) => context.printer.warn(`crewhall: ${error.message}`))
}
