/** Answers that can be asked for again by their ETag. The server lets nobody else store them, so they live with the tab. */
interface Known {
  readonly etag: string
  readonly size: number
  response(): Response
}

const mostCharacters = 4_000_000
const answers = new Map<string, Known>()
let held = 0

export const knownAnswer = (url: string): Known | undefined => answers.get(url)

/** Returns the answer as it came, and keeps a copy if it has a version. */
export async function rememberAnswer(url: string, response: Response): Promise<Response> {
  const etag = response.headers.get('etag')
  if (!etag || !response.headers.get('content-type')?.startsWith('application/json')) return response
  const text = await response.text()
  const { status, headers } = response
  const again = () => new Response(text, { status, headers })
  forget(url)
  if (text.length > mostCharacters / 10) return again()
  answers.set(url, { etag, size: text.length, response: again })
  held += text.length
  // Oldest first, as a map keeps them.
  for (const oldest of answers.keys()) {
    if (held <= mostCharacters) break
    forget(oldest)
  }
  return again()
}

function forget(url: string): void {
  held -= answers.get(url)?.size ?? 0
  answers.delete(url)
}

/** Another person or workspace: nothing of the one before may be shown. */
export function forgetAnswers(): void {
  answers.clear()
  held = 0
}
