/** The response was longer than allowed. */
export class TooLarge extends Error {}

/**
 * `fetch` that reads the whole body itself, up to a limit, before it returns: the signal of the request ends a body that
 * trickles in for ever, and a huge one is cut. A redirect is an error, because it would carry prompts elsewhere.
 */
export const limitedFetch =
  (limitBytes: number) =>
  async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const response = await fetch(input, { ...init, redirect: 'error' })
    const { status, statusText } = response
    const body = await collected(response, limitBytes)
    // Length and coding are those of the line, not of what was read from it.
    const headers = new Headers(response.headers)
    headers.delete('content-length')
    headers.delete('content-encoding')
    return new Response(mayHaveBody(status) ? body : null, { status, statusText, headers })
  }

const mayHaveBody = (status: number): boolean => status !== 204 && status !== 205 && status !== 304

async function collected({ body }: Response, limitBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    // Leaving the loop cancels the body, which closes the connection.
    if (size > limitBytes) throw new TooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
