export type Get = (path: string, init?: RequestInit) => Promise<Response>
export type Headers = Readonly<Record<string, string>>

/** Compared with `toEqual`, status and body count; the rest is there for tests that ask for it. */
export class Answer<Body = unknown> {
  readonly status: number
  readonly body: Body
  readonly #response: Response
  readonly #text: string

  constructor(response: Response, text: string) {
    this.status = response.status
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    this.body = (isJson ? JSON.parse(text) : text) as Body
    this.#response = response
    this.#text = text
  }

  get headers(): globalThis.Headers {
    return this.#response.headers
  }

  get text(): string {
    return this.#text
  }
}

/** Who calls: with a token, with a session, as the operator, or nobody. */
export type Credential =
  | { readonly token: string }
  | { readonly cookie: string }
  | { readonly admin_key: string }
  | { readonly authorization: string }
  | null

export const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` })

export function headersOf(by: Credential): Headers {
  if (by === null) return {}
  if ('token' in by) return bearer(by.token)
  if ('cookie' in by) return { cookie: by.cookie }
  return 'admin_key' in by ? { 'x-admin-key': by.admin_key } : { authorization: by.authorization }
}

/** Calls the API. A form or a text is sent as it stands, everything else as JSON. */
export async function call<Body = unknown>(
  get: Get,
  by: Credential,
  method: string,
  path: string,
  body?: unknown,
  more: Headers = {},
): Promise<Answer<Body>> {
  const isPlain = body === undefined || body instanceof FormData
  const type: Headers = isPlain ? {} : { 'content-type': 'application/json' }
  const sent = isPlain || typeof body === 'string' ? body : JSON.stringify(body)
  const headers = { ...headersOf(by), ...type, ...more }
  const response = await get(path, { method, headers, ...(sent === undefined ? {} : { body: sent }) })
  return new Answer<Body>(response, await response.text())
}
