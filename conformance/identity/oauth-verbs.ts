import { createHash, randomBytes } from 'node:crypto'
import { json } from '@crewhall/testkit/people.ts'
import type { Member, World } from '@crewhall/testkit/world/world.ts'

type Get = (path: string, init?: RequestInit) => Promise<Response>
export type Params = Record<string, string>

/** What a program keeps while it waits for the person. */
export interface Started {
  readonly client_id: string
  readonly redirect_uri: string
  readonly verifier: string
  /** The query of the page that the person is sent to. */
  readonly query: Params
}

export interface Tokens {
  readonly access_token: string
  readonly token_type: string
  readonly expires_in: number
  readonly refresh_token: string
  readonly scope: string
}

/** An entry of the list of tokens. */
export interface ListedToken {
  readonly id: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly last_four: string
  readonly last_used_on: string | null
}

export interface JsonAnswer<Body> {
  readonly status: number
  readonly body: Body
}

export const callback = 'http://127.0.0.1:7777/callback'

/** What a program and a browser do, over HTTP. */
export function oauthVerbs(get: Get, world: World) {
  const form = (path: string, fields: Params, headers: Params = {}): Promise<Response> =>
    get(path, { method: 'POST', body: new URLSearchParams(fields), headers, redirect: 'manual' })
  const answered = async <Body>(response: Response): Promise<JsonAnswer<Body>> => ({
    status: response.status,
    body: (await response.json()) as Body,
  })
  const register = async (
    redirect_uris: readonly unknown[] = [callback],
    client_name: unknown = 'Test app',
  ) =>
    answered<{ client_id: string; error?: string }>(
      await get('/oauth/register', json({ redirect_uris, client_name })),
    )
  const page = (query: Params, cookie?: string): Promise<Response> =>
    get(`/oauth/authorize?${new URLSearchParams(query)}`, {
      redirect: 'manual',
      headers: cookie === undefined ? {} : { cookie },
    })
  const formTokenIn = (html: string): string => /name="form_token" value="([^"]+)"/.exec(html)?.[1] ?? ''
  const exchange = async (fields: Params) =>
    answered<Tokens & { error?: string }>(await form('/oauth/token', fields))

  const verbs = {
    register,
    page,
    form,
    formTokenIn,
    exchange,

    /** A program that has registered and made up its question. */
    async start(more: Params = {}, client?: string): Promise<Started> {
      const client_id = client ?? (await register()).body.client_id
      const verifier = randomBytes(32).toString('base64url')
      const query = {
        response_type: 'code',
        client_id,
        redirect_uri: callback,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        state: 'a state & more',
        ...more,
      }
      return { client_id, redirect_uri: query.redirect_uri, verifier, query }
    },

    /** Somebody of a new workspace who is signed in. */
    async newPerson(ceiling?: readonly string[]): Promise<Member & { readonly cookie: string }> {
      const brand_id = await world.newBrand(ceiling)
      const { person_id } = await world.join(brand_id, 'admin')
      return { brand_id, person_id, cookie: await world.newCookie(person_id, brand_id) }
    },

    /** Opens the page and sends its form. */
    async decide(
      { query }: Started,
      who: { readonly brand_id: number; readonly cookie: string },
      more: Params = {},
    ): Promise<Response> {
      const form_token = formTokenIn(await (await page(query, who.cookie)).text())
      const fields = {
        action: 'decide',
        decision: 'allow',
        brand_id: String(who.brand_id),
        form_token,
        ...more,
      }
      return form(`/oauth/authorize?${new URLSearchParams(query)}`, fields, { cookie: who.cookie })
    },

    redeem: ({ client_id, redirect_uri, verifier }: Started, code: string, more: Params = {}) =>
      exchange({
        grant_type: 'authorization_code',
        code,
        client_id,
        redirect_uri,
        code_verifier: verifier,
        ...more,
      }),

    refresh: ({ client_id }: { readonly client_id: string }, refresh_token: string, more: Params = {}) =>
      exchange({ grant_type: 'refresh_token', refresh_token, client_id, ...more }),

    /** Status of a call with the token. */
    async use(token: string): Promise<number> {
      return (await world.call({ token }, 'GET', '/api/v1/me')).status
    },
  }
  return {
    ...verbs,

    async listed(who: { readonly brand_id: number; readonly cookie: string }): Promise<ListedToken[]> {
      const path = `/api/v1/brands/${who.brand_id}/tokens`
      return (await world.made<{ tokens: ListedToken[] }>({ cookie: who.cookie }, 'GET', path)).tokens
    },

    /** A program that a new person has let in. */
    async connected(more: Params = {}) {
      const who = await verbs.newPerson()
      const started = await verbs.start(more)
      const { status, body } = await verbs.redeem(started, codeIn(await verbs.decide(started, who)))
      if (status !== 200) throw new Error(`a code was redeemed with ${status}`)
      return { who, started, tokens: body as Tokens }
    },
  }
}

/** What the program is told when it is called back. */
export const backAt = (response: Response): URL => new URL(response.headers.get('location') ?? 'none:')
export const codeIn = (response: Response): string => backAt(response).searchParams.get('code') ?? ''
