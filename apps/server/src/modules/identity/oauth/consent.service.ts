import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { oauthPaths, usualScopes } from '@crewhall/contracts/identity/oauth.ts'
import {
  brandNotFound,
  notAuthenticated,
  scopeOutsideCeiling,
  tokenLimit,
  wrongPassword,
} from '@crewhall/contracts/identity/refusals.ts'
import { Refusal, refusal } from '@crewhall/contracts/refusal.ts'
import type { PersonActor } from '#platform/ctx/actor.ts'
import type { BrandCtx, OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import type { PlainAnswer, PlainRequest } from '#platform/http/plain-route.ts'
import { holdAgent } from '../agents/owned-agents.service.ts'
import { type AuthenticateDeps, findSignedIn } from '../callers/authenticate.service.ts'
import { digestOf, newSecret } from '../secrets.ts'
import { sessionSecretOf } from '../sessions/session-cookie.ts'
import { type SessionDeps, signInPerson } from '../sessions/sessions.service.ts'
import { findMembership, listMemberships } from '../sessions/sessions.store.ts'
import { factsOf, maxLive } from '../tokens/tokens.service.ts'
import { findCeiling, listTokens, lockHolder } from '../tokens/tokens.store.ts'
import { type Authorization, readAuthorization } from './authorization.rules.ts'
import { findClient } from './clients.service.ts'
import { lockClient } from './clients.store.ts'
import * as store from './connections.store.ts'
import { consentPage, signInPage } from './consent-page.ts'
import { type Fields, readFields } from './fields.rules.ts'
import { readForm } from './forms.ts'
import { invalidRequest } from './oauth-errors.ts'
import { isRegistered, withAnswer } from './redirects.rules.ts'

export interface ConsentDeps {
  readonly origin: string
  readonly callers: AuthenticateDeps
  readonly sessions: SessionDeps
}

const unknownClient = refusal(400, 'The app is not registered here, or no longer; start again from the app')
const otherRedirect = refusal(400, 'The app wants to be called back at an address that it has not registered')
const staleForm = refusal(403, 'The form is out of date or was not sent from this page; decide again')
const noBrand = refusal(409, 'You are not a member of a workspace that the app could be connected to')

/** RFC 6749, 4.1.2: at most ten minutes are recommended. A program is called back at once and needs seconds. */
const codeSeconds = 60

interface Asked extends Authorization {
  readonly client_id: string
  readonly client_name: string
  readonly redirect_uri: string
}

/**
 * What a program asks for, as far as the person may see it: before the program and the address are known, nothing is sent
 * back to anybody. Everything else that is wrong is told to the program.
 */
async function read(
  ctx: OutsideSystemCtx,
  { origin }: ConsentDeps,
  query: URLSearchParams,
): Promise<{ asked: Asked; back: (answer: Fields) => PlainAnswer } | { answer: PlainAnswer }> {
  const fields = readFields(query)
  if (typeof fields === 'string') throw invalidRequest(fields)
  const client = await findClient(ctx, fields.client_id)
  if (!client) throw unknownClient()
  const { redirect_uri = '', state } = fields
  if (!isRegistered(client.redirect_uris, redirect_uri)) throw otherRedirect()
  // RFC 9207: a program that talks to several servers knows whose answer it is.
  const back = (answer: Fields) => redirect(withAnswer(redirect_uri, { ...answer, state, iss: origin }))
  const authorization = readAuthorization(fields, origin)
  if ('error' in authorization) return { answer: back({ ...authorization }) }
  const asked = { ...authorization, client_id: client.id, client_name: client.name, redirect_uri }
  return { asked, back }
}

const redirect = (location: string, headers: Readonly<Record<string, string>> = {}): PlainAnswer => ({
  status: 303,
  type: 'text/plain; charset=utf-8',
  body: '',
  headers: { ...headers, location, 'referrer-policy': 'no-referrer' },
})

export async function showConsent(
  ctx: OutsideSystemCtx,
  deps: ConsentDeps,
  request: PlainRequest,
): Promise<PlainAnswer> {
  const found = await read(ctx, deps, request.query)
  if ('answer' in found) return found.answer
  const person = await signedIn(ctx, deps, request, 'GET')
  return person ? consent(ctx, deps, request, found.asked, person) : signIn(deps, found.asked)
}

export async function answerConsent(
  ctx: OutsideSystemCtx,
  deps: ConsentDeps,
  request: PlainRequest,
): Promise<PlainAnswer> {
  const person = await signedIn(ctx, deps, request, 'POST')
  const found = await read(ctx, deps, request.query)
  if ('answer' in found) return found.answer
  const form = await readForm(request)
  if (form.action === 'sign_in') return startSession(ctx, deps, request, found.asked, form)
  if (!person) return signIn(deps, found.asked)
  if (!isOurForm(deps, request, form.form_token))
    return consent(ctx, deps, request, found.asked, person, staleForm())
  if (form.decision !== 'allow')
    return found.back({ error: 'access_denied', error_description: 'The person has denied access' })
  try {
    return found.back({ code: await connect(ctx, found.asked, person, Number(form.brand_id)) })
  } catch (error) {
    // Another workspace may allow it.
    if (error instanceof Refusal) return consent(ctx, deps, request, found.asked, person, error)
    throw error
  }
}

const signedIn = (
  ctx: OutsideSystemCtx,
  { callers }: ConsentDeps,
  { headers }: PlainRequest,
  method: string,
): Promise<PersonActor | undefined> =>
  findSignedIn(callers, { method, headers, params: undefined, ip: '' }, ctx)

const toldBy = (refused: Refusal | undefined) => refused && { note: refused.message, status: refused.status }

const signIn = ({ sessions }: ConsentDeps, asked: Asked, refused?: Refusal): PlainAnswer =>
  signInPage({ service_name: sessions.service_name, ...asked, ...toldBy(refused) })

async function startSession(
  ctx: OutsideSystemCtx,
  deps: ConsentDeps,
  { network, headers, query }: PlainRequest,
  asked: Asked,
  { email = '', password = '' }: Fields,
): Promise<PlainAnswer> {
  try {
    if (email.length > 254 || password.length > 1000) throw wrongPassword()
    const from = { network, user_agent: headers['user-agent'] }
    const { set_cookie } = await signInPerson(ctx, deps.sessions, from, { email, password })
    return redirect(`${oauthPaths.authorize}?${query}`, { 'set-cookie': set_cookie })
  } catch (error) {
    if (error instanceof Refusal) return signIn(deps, asked, error)
    throw error
  }
}

async function consent(
  ctx: OutsideSystemCtx,
  deps: ConsentDeps,
  request: PlainRequest,
  asked: Asked,
  person: PersonActor,
  refused?: Refusal,
): Promise<PlainAnswer> {
  const brands = await listMemberships(ctx.overBrands(), person.person_id)
  if (brands.length === 0) throw noBrand()
  return consentPage({
    ...asked,
    service_name: deps.sessions.service_name,
    person_name: person.name,
    scopes: asked.scopes ?? usualScopes,
    agent_id: asked.resource.agent_id,
    brands,
    chosen: brands.length === 1 ? brands[0]?.brand_id : (person.brand_id ?? undefined),
    form_token: formTokenOf(deps, request),
    ...toldBy(refused),
  })
}

/**
 * Keyed with the secret of the session, which nobody else has, over all that the program asks for: a form is good for what
 * it has shown to the person who is signed in, and for nothing else.
 */
function formTokenOf({ callers }: ConsentDeps, { headers, query }: PlainRequest): string {
  const secret = sessionSecretOf(headers.cookie, callers.cookie)
  if (secret === undefined) throw notAuthenticated()
  return createHmac('sha256', secret).update(`oauth-consent\n${query}`).digest('base64url')
}

function isOurForm(deps: ConsentDeps, request: PlainRequest, given = ''): boolean {
  const [ours, theirs] = [Buffer.from(formTokenOf(deps, request)), Buffer.from(given)]
  return ours.length === theirs.length && timingSafeEqual(ours, theirs)
}

/** Returns the code. The connection lasts as long as that, until a program comes with it. */
async function connect(
  ctx: OutsideSystemCtx,
  asked: Asked,
  person: PersonActor,
  brandId: number,
): Promise<string> {
  const { person_id } = person
  const isId = Number.isSafeInteger(brandId)
  const membership = isId ? await findMembership(ctx.overBrands(), person_id, brandId) : undefined
  if (!membership) throw brandNotFound()
  const { brand_id, role } = membership
  const code = newSecret()
  const brand = ctx.forBrand(brand_id, { actor: { ...person, brand_id, role } })
  await brand.tx(async (ctx) => {
    const { agent_id } = asked.resource
    // Before the person: a retirement locks the agent first, and then the holders of its tokens.
    // Otherwise what the app does is recorded as done by an agent of its name: it must not pass for the person.
    const agent = agent_id === null ? asked.client_name : (await holdAgent(ctx, agent_id)).name
    if (!(await lockClient(ctx, asked.client_id))) throw unknownClient()
    if (!(await lockHolder(ctx, person_id))) throw brandNotFound()
    if ((await listTokens(ctx, person_id, maxLive)).length >= maxLive) throw tokenLimit()
    const scopes = await grantedScopes(ctx, asked)
    const id = randomUUID()
    const name = `App: ${asked.client_name}`
    const token = { id, person_id, name, hash: digestOf(newSecret()), scopes, agent, agent_id }
    const made = await store.insertConnection(ctx, { ...token, seconds: codeSeconds })
    const { client_id, redirect_uri, challenge } = asked
    const resource = asked.resource.path
    await store.insertAsked(ctx, { token_id: id, client_id, redirect_uri, challenge, resource })
    await store.insertSecret(ctx, id, 'code', digestOf(code))
    const to = factsOf({ name, person_id, scopes, expires_at: made?.expires_at ?? '', agent, agent_id })
    await ctx.audit({ action: 'token.issued', target: `token:${id}`, from: null, to })
  })
  return code
}

/** What was asked for by name is given or refused; what was left to us is what the workspace allows. */
async function grantedScopes(ctx: BrandCtx, { scopes }: Asked): Promise<string[]> {
  const ceiling = await findCeiling(ctx)
  const outside = scopes?.filter((scope) => !ceiling.includes(scope)) ?? []
  if (outside.length > 0) throw scopeOutsideCeiling(outside)
  return [...(scopes ?? usualScopes)].filter((scope) => ceiling.includes(scope))
}
