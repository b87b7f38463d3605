import { randomUUID } from 'node:crypto'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { ImapFlow } from 'imapflow'

const { mail } = readServiceFacts()

/** An address whose mail arrives, and nobody else's. */
export const newMailAddress = (): string => `${randomUUID()}@${mail.domain}`

export interface ArrivedLetter {
  readonly subject: string
  readonly text: string
  readonly html: string
  /** As they came, unfolded. */
  readonly headers: string
}

/** What has arrived in a mailbox, oldest first. */
export async function listLetters(address: string): Promise<ArrivedLetter[]> {
  const { host, port } = mail.imap
  const auth = { user: address, pass: mail.imap_password }
  const client = new ImapFlow({ host, port, secure: false, logger: false, auth })
  await client.connect()
  try {
    await client.mailboxOpen('INBOX')
    const found: ArrivedLetter[] = []
    const ids = await client.search({ all: true })
    for (const id of ids || []) {
      const message = await client.fetchOne(id, { envelope: true, headers: true })
      if (!message) continue
      const [text = '', html = ''] = await Promise.all(['1', '2'].map((part) => partOf(client, id, part)))
      const headers = String(message.headers ?? '').replace(/\r\n[ \t]+/g, ' ')
      found.push({ subject: message.envelope?.subject ?? '', text, html, headers })
    }
    return found
  } finally {
    await client.logout()
  }
}

async function partOf(client: ImapFlow, id: number, part: string): Promise<string> {
  const { content } = await client.download(String(id), part)
  let text = ''
  for await (const chunk of content ?? []) text += chunk
  return text.replaceAll('\r\n', '\n')
}

/** The secret of the only link in a letter. */
export const secretIn = ({ text }: ArrivedLetter): string =>
  /https?:\/\/\S+\?token=([\w-]{43})/.exec(text)?.[1] ?? ''
