import { setTimeout as pause } from 'node:timers/promises'
import { findServiceFacts, type MailFacts } from '@crewhall/services/facts.ts'
import { ImapFlow } from 'imapflow'

const mail = findServiceFacts()?.mail
const waitMs = 60_000
const everyMs = 150

/** Whether letters of the demo can be read, as their receivers would. */
export const hasMailbox = mail !== undefined

/** Without a mailbox nobody gets mail, and the addresses are those of nobody. */
export const addressOf = (name: string, tag: string): string =>
  `${name}.${tag}@${mail?.domain ?? 'demo.example'}`

/** The secret of the link in the letter with that path, or undefined if none comes. */
export async function secretFor(address: string, path: string): Promise<string | undefined> {
  if (!mail) return undefined
  const end = Date.now() + waitMs
  const link = new RegExp(`https?://\\S+/dashboard/${path}\\?token=([\\w-]{43})`)
  while (Date.now() < end) {
    for (const text of await textsOf(address, mail)) {
      const secret = link.exec(text)?.[1]
      if (secret) return secret
    }
    await pause(everyMs)
  }
  return undefined
}

/** What has arrived, newest first. */
async function textsOf(address: string, { imap, imap_password }: MailFacts): Promise<string[]> {
  const auth = { user: address, pass: imap_password }
  const client = new ImapFlow({ ...imap, secure: false, logger: false, auth })
  await client.connect()
  try {
    await client.mailboxOpen('INBOX')
    const texts: string[] = []
    for (const id of (await client.search({ all: true })) || []) {
      const { content } = await client.download(String(id), '1')
      let text = ''
      for await (const chunk of content ?? []) text += chunk
      texts.unshift(text)
    }
    return texts
  } finally {
    await client.logout()
  }
}
