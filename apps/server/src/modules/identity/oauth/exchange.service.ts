import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import { tooManyAttempts } from '@crewhall/contracts/identity/refusals.ts'
import type { PersonActor } from '#platform/ctx/actor.ts'
import type { BrandTx, OutsideSystemCtx, SystemCtx } from '#platform/ctx/ctx.ts'
import type { PlainAnswer, PlainRequest } from '#platform/http/plain-route.ts'
import { digestOf, newSecret, newToken } from '../secrets.ts'
import { updateTries, updateTriesBack } from '../sessions/sessions.store.ts'
import { tryMinutes } from '../sessions/sign-in-limits.service.ts'
import { factsOf } from '../tokens/tokens.service.ts'
import { lockHolder, updateRevoked } from '../tokens/tokens.store.ts'
import { isVerifier, readScopes } from './authorization.rules.ts'
import * as store from './connections.store.ts'
import { nextOf, type SecretKind } from './exchange.rules.ts'
import type { Fields } from './fields.rules.ts'
import { answerJson, readForm } from './forms.ts'
import * as refused from './oauth-errors.ts'
import { deriveResource } from './resources.rules.ts'

export interface ExchangeDeps {
  readonly origin: string
  readonly tries_per_address: number
}

const accessHours = 24
/** A connection that is not used for so long ends, and each one when it has lasted for as long as a token may. */
const idleDays = 90
const mostDays = 366
const graceMinutes = 30
/** Live access tokens of one connection; one more takes the place of the oldest. */
const maxAccess = 5
/** Of one connection, within `tryMinutes`. */
const maxRefreshes = 20

/** What does not fit is one refusal, whatever it is: nobody learns which half of a stolen pair is right. */
const unfit = () => refused.invalidGrant('The code or refresh token is not valid for this client')

export async function exchange(
  ctx: OutsideSystemCtx,
  deps: ExchangeDeps,
  request: PlainRequest,
): Promise<PlainAnswer> {
  const fields = await readForm(request)
  if (fields.grant_type !== 'authorization_code' && fields.grant_type !== 'refresh_token')
    throw refused.unsupportedGrantType('grant_type is authorization_code or refresh_token')
  const kind = fields.grant_type === 'refresh_token' ? 'refresh' : 'code'
  const key = `oauth-token:${request.network}`
  if (!(await updateTries(ctx, key, deps.tries_per_address, tryMinutes))) throw tooManyAttempts()
  const answer = await (kind === 'code' ? redeem(ctx, deps, fields) : refresh(ctx, deps, fields))
  await updateTriesBack(ctx, key)
  return answerJson(answer, { pragma: 'no-cache' })
}

async function redeem(ctx: SystemCtx, { origin }: ExchangeDeps, fields: Fields): Promise<Exchanged> {
  const { code, client_id, redirect_uri, code_verifier } = fields
  if (
    code === undefined ||
    client_id === undefined ||
    redirect_uri === undefined ||
    code_verifier === undefined
  )
    throw refused.invalidRequest('code, client_id, redirect_uri and code_verifier are required')
  const digest = digestOf(code)
  const found = await store.findBySecret(ctx, 'code', digest)
  if (!found || found.client_id !== client_id || found.redirect_uri !== redirect_uri) throw unfit()
  if (!isVerifier(code_verifier) || !isAnswerTo(found.challenge, code_verifier)) throw unfit()
  refuseOtherResource(origin, fields, found)
  return trade(ctx, found, { kind: 'code', digest, scopes: found.scopes })
}

async function refresh(ctx: SystemCtx, { origin }: ExchangeDeps, fields: Fields): Promise<Exchanged> {
  const { refresh_token, client_id } = fields
  if (refresh_token === undefined || client_id === undefined)
    throw refused.invalidRequest('refresh_token and client_id are required')
  const digest = digestOf(refresh_token)
  const found = await store.findBySecret(ctx, 'refresh', digest)
  if (!found || found.client_id !== client_id) throw unfit()
  refuseOtherResource(origin, fields, found)
  const asked = readScopes(fields.scope)
  if (asked === null || asked?.some((scope) => !found.scopes.includes(scope)))
    throw refused.invalidScope('A refresh has no more scopes than its connection')
  const key = `oauth-refresh:${found.token_id}`
  if (!(await updateTries(ctx, key, maxRefreshes, tryMinutes))) throw tooManyAttempts()
  return trade(ctx, found, { kind: 'refresh', digest, scopes: asked ?? found.scopes })
}

function refuseOtherResource(origin: string, fields: Fields, found: store.ConnectionRow): void {
  if (fields.resource !== undefined && deriveResource(origin, fields.resource)?.path !== found.resource)
    throw refused.invalidTarget('The resource is not the one that was allowed')
}

const isAnswerTo = (challenge: string, verifier: string): boolean => {
  const [given, expected] = [
    createHash('sha256').update(verifier).digest(),
    Buffer.from(challenge, 'base64url'),
  ]
  return given.length === expected.length && timingSafeEqual(given, expected)
}

export interface Exchanged {
  readonly access_token: string
  readonly token_type: 'Bearer'
  readonly expires_in: number
  readonly refresh_token: string
  readonly scope: string
}

interface Trade {
  readonly kind: SecretKind
  readonly digest: string
  readonly scopes: readonly string[]
}

/**
 * Everything that changes which tokens of the person live takes turns, so one code is traded once, however many bring it,
 * and nothing is issued beside a revocation. That a secret came too often has to be kept, so it is refused afterwards.
 */
async function trade(ctx: SystemCtx, found: store.ConnectionRow, given: Trade): Promise<Exchanged> {
  const access_token = newToken()
  const refresh_token = newSecret()
  const { token_id } = found
  const expires_at = await ctx.forBrand(found.brand_id, { actor: actorOf(found) }).tx(async (ctx) => {
    if (!(await lockHolder(ctx, found.person_id))) return undefined
    const use = await store.findUse(ctx, given.digest, graceMinutes)
    if (!use) return undefined
    if (nextOf(given.kind, use) === 'revoke') {
      await endConnection(ctx, token_id)
      return undefined
    }
    const last_four = access_token.slice(-4)
    await store.updateUsed(ctx, given.digest)
    await store.updateRenewed(ctx, { token_id, last_four, days: idleDays, most_days: mostDays })
    const others = await store.listLiveAccess(ctx, token_id)
    const id = (others.length < maxAccess ? undefined : others[0]) ?? randomUUID()
    const { scopes } = given
    const made = { id, token_id, hash: digestOf(access_token), last_four, scopes, hours: accessHours }
    const access = await store.insertOrReplaceAccess(ctx, made)
    await store.insertSecret(ctx, token_id, 'refresh', digestOf(refresh_token))
    return access?.expires_at
  })
  if (expires_at === undefined) throw unfit()
  const expires_in = Math.floor((Date.parse(expires_at) - ctx.now().getTime()) / 1000)
  return { access_token, token_type: 'Bearer', expires_in, refresh_token, scope: given.scopes.join(' ') }
}

/** With all that it has issued. */
async function endConnection(ctx: BrandTx, token_id: string): Promise<void> {
  for (const each of await updateRevoked(ctx, token_id)) {
    await ctx.audit({ action: 'token.revoked', target: `token:${each.id}`, from: factsOf(each), to: null })
  }
}

/** The person, by way of the program. */
const actorOf = (found: store.ConnectionRow): PersonActor => ({
  kind: 'person',
  person_id: found.person_id,
  name: found.person_name,
  is_staff: false,
  is_verified: found.is_verified,
  credential: 'token',
  credential_id: found.token_id,
  expires_at: found.expires_at,
  brand_id: found.brand_id,
  role: found.role,
  scopes: found.scopes,
  agent: found.agent,
  agent_id: found.agent_id,
})

/** RFC 7009: either token ends the connection. What is unknown is as good as revoked. */
export async function revoke(ctx: OutsideSystemCtx, request: PlainRequest): Promise<PlainAnswer> {
  const { token, client_id } = await readForm(request)
  if (token === undefined || client_id === undefined)
    throw refused.invalidRequest('token and client_id are required')
  const digest = digestOf(token)
  const found = (await store.findBySecret(ctx, 'refresh', digest)) ?? (await store.findByAccess(ctx, digest))
  if (!found) return answerJson({})
  if (found.client_id !== client_id) throw refused.invalidGrant('The token belongs to another client')
  await ctx.forBrand(found.brand_id, { actor: actorOf(found) }).tx(async (ctx) => {
    await lockHolder(ctx, found.person_id)
    await endConnection(ctx, found.token_id)
  })
  return answerJson({})
}
