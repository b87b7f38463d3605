import { randomUUID } from 'node:crypto'
import { standardTokenDays } from '@crewhall/contracts/identity/lifetimes.ts'
import {
  agentNamedTwice,
  notAuthenticated,
  scopeMissing,
  scopeOutsideCeiling,
  serviceTokensFixed,
  signInForTokens,
  tokenLimit,
  tokenNotFound,
  tokenOfAnother,
  tokenOfApp,
} from '@crewhall/contracts/identity/refusals.ts'
import type { Token } from '@crewhall/contracts/identity/tokens.ts'
import { scopes as knownScopes, type Scope } from '@crewhall/contracts/scopes.ts'
import type { PersonActor } from '#platform/ctx/actor.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { holdAgent } from '../agents/owned-agents.service.ts'
import { digestOf, newToken } from '../secrets.ts'
import { presentToken } from './tokens.present.ts'
import * as store from './tokens.store.ts'

interface NewToken extends Token {
  /** Shown this once. */
  token: string
}

export const maxLive = 100

/** S3: a token sees itself and the tokens it issued. All others require a session. */
export async function listLiveTokens(ctx: BrandCtx): Promise<Token[]> {
  const { role, person_id, credential, credential_id } = personOf(ctx)
  const rows = await (credential === 'token'
    ? store.listTokensUnder(ctx, credential_id, maxLive)
    : store.listTokens(ctx, role === 'admin' ? null : person_id, maxLive * 10))
  return rows.map(presentToken)
}

interface Order {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly expires_in_days?: number | undefined
  readonly agent?: string | undefined
  readonly agent_id?: string | undefined
}

export async function issueToken(ctx: BrandCtx, order: Order): Promise<NewToken> {
  const { person_id, scopes: own } = personOf(ctx)
  // A token cannot make a mightier one.
  const beyond = own ? order.scopes.filter((scope) => !own.includes(scope)) : []
  if (beyond.length > 0) throw scopeMissing(beyond, await store.findCeiling(ctx))
  const speaker = speakerOf(ctx, order)
  const token = newToken()
  return ctx.tx(async (ctx) => {
    // Before the person: a retirement locks the agent first, and then the holders of its tokens.
    const agent_id = speaker.agent_id
    const agent = agent_id === null ? speaker.agent : (await holdAgent(ctx, agent_id)).name
    const issued_by = await holdIssuer(ctx)
    const ceiling = await store.findCeiling(ctx)
    const outside = order.scopes.filter((scope) => !ceiling.includes(scope))
    if (outside.length > 0) throw scopeOutsideCeiling(outside)
    if ((await store.listTokens(ctx, person_id, maxLive)).length >= maxLive) throw tokenLimit()
    const id = randomUUID()
    const days = order.expires_in_days ?? standardTokenDays
    const scopes = [...new Set(order.scopes)]
    const speaks = { agent, agent_id, issued_by }
    const { name } = order
    await store.insertToken(ctx, { id, person_id, name, ...keptOf(token), scopes, days, ...speaks })
    const made = await getToken(ctx, id)
    await ctx.audit({ action: 'token.issued', target: `token:${id}`, from: null, to: toldOf(made) })
    return { ...made, token }
  })
}

/** Who the token will speak for. With a token of an agent that is the same agent: neither the person nor another one. */
function speakerOf(ctx: BrandCtx, order: Order): { agent: string | null; agent_id: string | null } {
  const own = personOf(ctx)
  if (order.agent !== undefined && order.agent_id !== undefined) throw agentNamedTwice()
  const { agent = own.agent, agent_id = own.agent_id } = order
  if (own.agent !== null && (agent !== own.agent || agent_id !== own.agent_id)) throw tokenOfAnother()
  return { agent, agent_id }
}

/**
 * With a session, admins revoke any token and members their own. Tokens issued with it end too, and the whole connection of
 * an app.
 */
export async function revokeLiveToken(ctx: BrandCtx, id: string): Promise<void> {
  const { role, person_id, credential, credential_id } = personOf(ctx)
  await ctx.tx(async (ctx) => {
    const found = await store.findToken(ctx, id)
    if (!found || (role !== 'admin' && found.person_id !== person_id)) throw tokenNotFound()
    await store.lockHolder(ctx, found.person_id)
    if (credential === 'token') {
      const mine = await store.listTokensUnder(ctx, credential_id, maxLive)
      if (!mine.some((each) => each.id === id)) throw signInForTokens()
    }
    const revoked = await store.updateRevoked(ctx, id)
    if (revoked.length === 0) throw tokenNotFound()
    for (const each of revoked) {
      await ctx.audit({ action: 'token.revoked', target: `token:${each.id}`, from: factsOf(each), to: null })
    }
  })
}

/** Own tokens only: the response contains the new secret. */
export async function rotateLiveToken(ctx: BrandCtx, id: string): Promise<NewToken> {
  const { person_id, credential_id } = personOf(ctx)
  const token = newToken()
  return ctx.tx(async (ctx) => {
    const issuer = await holdIssuer(ctx)
    const old = await store.findOwnToken(ctx, person_id, id)
    if (!old) throw tokenNotFound()
    if (old.kind !== 'personal') throw tokenOfApp()
    await refuseMightier(ctx, old)
    // A secret that a token got for another one ends with it, as if it had issued it; its own is its own.
    const issued_by = id === credential_id ? null : issuer
    const changed = await store.updateSecret(ctx, { id, person_id, ...keptOf(token), issued_by })
    if (changed === 0) throw tokenNotFound()
    const made = await getToken(ctx, id)
    await ctx.audit({ action: 'token.rotated', target: `token:${id}`, from: null, to: toldOf(made) })
    return { ...made, token }
  })
}

/**
 * K9: a member who was removed meanwhile issues nothing, and concurrent counts are serialized. Returns the token of the
 * caller, which must still be valid; null for a session.
 */
async function holdIssuer(ctx: BrandTx): Promise<string | null> {
  const { person_id, credential, credential_id } = personOf(ctx)
  const status = await store.lockHolder(ctx, person_id)
  if (!status) throw notAuthenticated()
  // Whoever opened a service knows its secrets, and ends them with it.
  if (status === 'service') throw serviceTokensFixed()
  if (credential === 'session') return null
  if (!(await store.findToken(ctx, credential_id))) throw notAuthenticated()
  return credential_id
}

/** S3: with a token one gets the secret only of what lies within its scopes and its agent. */
async function refuseMightier(ctx: BrandTx, { id, scopes, ...old }: store.TokenRow): Promise<void> {
  const { scopes: own, agent, agent_id, credential, credential_id } = personOf(ctx)
  if (credential === 'session' || id === credential_id) return
  const beyond = knownScopes.filter((scope) => scopes.includes(scope) && !own?.includes(scope))
  if (beyond.length > 0) throw scopeMissing(beyond, await store.findCeiling(ctx))
  if (agent !== null && (old.agent !== agent || old.agent_id !== agent_id)) throw tokenOfAnother()
}

/** What the audit keeps of a token: whose it is and what it may do, nothing of its secret. */
const toldOf = ({ person, ...token }: Token) => factsOf({ ...token, person_id: person.id })

type Told = Omit<store.RevokedRow, 'id'>
export const factsOf = ({ name, person_id, scopes, expires_at, agent, agent_id }: Told) => ({
  name,
  person_id,
  scopes,
  expires_at,
  ...(agent === null ? {} : { agent }),
  ...(agent_id === null ? {} : { agent_id }),
})

export const keptOf = (token: string) => ({ hash: digestOf(token), last_four: token.slice(-4) })

async function getToken(ctx: BrandCtx, id: string): Promise<Token> {
  const row = await store.findToken(ctx, id)
  if (!row) throw tokenNotFound()
  return presentToken(row)
}

function personOf({ actor }: BrandCtx): PersonActor {
  if (actor.kind !== 'person') throw tokenNotFound()
  return actor
}
