import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { type Credential, headersOf } from '../world/call.ts'
import type { Era } from './mcp-caller.ts'

type ClientOptions = NonNullable<ConstructorParameters<typeof Client>[1]>

/** A client of the protocol's authors, connected in the given era and in no other. Whoever opens it closes it. */
export async function connectMcp(
  url: string,
  by: Credential,
  era: Era,
  options: ClientOptions = {},
): Promise<Client> {
  const client = new Client(
    { name: 'crewhall-tests', version: '1.0.0' },
    {
      ...options,
      versionNegotiation: { mode: era === '2026-07-28' ? { pin: era } : 'legacy' },
    },
  )
  const requestInit = { headers: { ...headersOf(by) } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  return client
}

/** The text of what a tool returned. */
export const textOf = ({ content }: { readonly content: readonly unknown[] }): string =>
  (content as readonly { text?: string }[]).map(({ text = '' }) => text).join('')
