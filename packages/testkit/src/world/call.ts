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

/**
 * Calls the API. `headers` say who calls: `bearer(token)`, `{ cookie }` or nobody. The
 * body is sent as it stands if it is a form or text, and as JSON otherwise.
 */
export async function call<Body = unknown>(
  get: Get,
  headers: Headers,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer<Body>> {
  const isPlain = body === undefined || body instanceof FormData
  const response = await get(path, {
    method,
    headers: { ...(isPlain ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined
      ? {}
      : { body: isPlain || typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return new Answer<Body>(response, await response.text())
}

export const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` })
