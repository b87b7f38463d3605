import { randomUUID } from 'node:crypto'
import {
  scopeMissing,
  scopeOutsideCeiling,
  tokenLimit,
  tokenNotFound,
} from '@crewhall/contracts/identity/refusals.ts'
import type { Token } from '@crewhall/contracts/identity/tokens.ts'
import type { Scope } from '@crewhall/contracts/scopes.ts'
import type { BrandCtx, PersonActor } from '#platform/ctx/ctx.ts'
import { digestOf, newToken } from '../secrets.ts'
import { presentToken } from './tokens.present.ts'
import * as store from './tokens.store.ts'

interface NewToken extends Token {
  /** Shown this once. */
  token: string
}

const standardDays = 90
const maxLive = 100

export async function listLiveTokens(ctx: BrandCtx): Promise<Token[]> {
  const { role, person_id } = personOf(ctx)
  const rows = await store.listTokens(ctx, role === 'admin' ? null : person_id, maxLive * 10)
  return rows.map(presentToken)
}

interface Order {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly expires_in_days?: number | undefined
  readonly agent?: string | undefined
}

export async function issueToken(ctx: BrandCtx, order: Order): Promise<NewToken> {
  const { person_id, scopes: own, agent: speaker } = personOf(ctx)
  // A token cannot make a mightier one.
  const beyond = own ? order.scopes.filter((scope) => !own.includes(scope)) : []
  if (beyond.length > 0) throw scopeMissing(beyond, await store.findCeiling(ctx))
  const token = newToken()
  return ctx.tx(async (ctx) => {
    const ceiling = await store.findCeiling(ctx)
    const outside = order.scopes.filter((scope) => !ceiling.includes(scope))
    if (outside.length > 0) throw scopeOutsideCeiling(outside)
    if ((await store.listTokens(ctx, person_id, maxLive)).length >= maxLive) throw tokenLimit()
    const id = randomUUID()
    const days = order.expires_in_days ?? standardDays
    const scopes = [...new Set(order.scopes)]
    // Nor can an agent make one with which it would pass for the person.
    const agent = order.agent ?? speaker
    await store.insertToken(ctx, { id, person_id, name: order.name, ...keptOf(token), scopes, days, agent })
    const made = await getToken(ctx, id)
    await ctx.audit({ action: 'token.issued', target: `token:${id}`, from: null, to: toldOf(made) })
    return { ...made, token }
  })
}

/** An admin ends anybody's token, a member their own. */
export async function revokeLiveToken(ctx: BrandCtx, id: string): Promise<void> {
  const { role, person_id } = personOf(ctx)
  await ctx.tx(async (ctx) => {
    const revoked = await store.updateRevoked(ctx, id, role === 'admin' ? null : person_id)
    if (!revoked) throw tokenNotFound()
    await ctx.audit({ action: 'token.revoked', target: `token:${id}`, from: factsOf(revoked), to: null })
  })
}

/** Only one's own: the new secret is shown to whoever asks. */
export async function rotateLiveToken(ctx: BrandCtx, id: string): Promise<NewToken> {
  const { person_id } = personOf(ctx)
  const token = newToken()
  return ctx.tx(async (ctx) => {
    if ((await store.updateSecret(ctx, { id, person_id, ...keptOf(token) })) === 0) throw tokenNotFound()
    const made = await getToken(ctx, id)
    await ctx.audit({ action: 'token.rotated', target: `token:${id}`, from: null, to: toldOf(made) })
    return { ...made, token }
  })
}

/** What the audit keeps of a token: whose it is and what it may do, nothing of its secret. */
const toldOf = ({ person, ...token }: Token) => factsOf({ ...token, person_id: person.id })

type Told = Pick<store.TokenRow, 'name' | 'person_id' | 'scopes' | 'expires_at' | 'agent'>
const factsOf = ({ name, person_id, scopes, expires_at, agent }: Told) => ({
  ...{ name, person_id, scopes, expires_at },
  ...(agent === null ? {} : { agent }),
})

const keptOf = (token: string) => ({ hash: digestOf(token), last_four: token.slice(-4) })

async function getToken(ctx: BrandCtx, id: string): Promise<Token> {
  const row = await store.findToken(ctx, id)
  if (!row) throw tokenNotFound()
  return presentToken(row)
}

function personOf({ actor }: BrandCtx): PersonActor {
  if (actor.kind !== 'person') throw tokenNotFound()
  return actor
}
