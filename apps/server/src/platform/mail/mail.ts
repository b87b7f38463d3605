import { createTransport } from 'nodemailer'
import type { Outside } from '#platform/ctx/outside.ts'
import { oneLine } from '#platform/letter/one-line.ts'
import { Outage, type OutageReason } from '#platform/outage/outage.ts'

export interface MailOptions {
  readonly url: string | undefined
  readonly from: string
  readonly timeout_ms: number
}

export interface Message {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The same for every attempt at one message, so that receivers can recognize a repeat. */
  readonly message_id?: string
  /** Besides the usual ones. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface Mail {
  send(outside: Outside, message: Message): Promise<void>
  close(): void
}

/** RFC 3834: suppresses automatic replies such as out-of-office notes. */
const automatic = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' }

export function createMail(options: MailOptions): Mail {
  if (!options.url) {
    return {
      send: async () => {
        throw new Outage('mail', 'not_configured')
      },
      close: () => {},
    }
  }
  const transport = createTransport({
    url: options.url,
    pool: true,
    maxConnections: 4,
    connectionTimeout: options.timeout_ms,
    greetingTimeout: options.timeout_ms,
    socketTimeout: options.timeout_ms,
    // A repeat of its own could deliver a message twice, or after we said that it had failed. Jobs repeat.
    maxRequeues: 0,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send(_, { message_id, headers, ...message }) {
      const facts = {
        from: options.from,
        ...message,
        subject: oneLine(message.subject),
        headers: { ...headers, ...automatic },
        ...(message_id ? { messageId: message_id } : {}),
      }
      try {
        await withinLimit(options.timeout_ms, transport.sendMail(facts))
      } catch (error) {
        throw new Outage('mail', reasonOf(error), { cause: error })
      }
    },
    close: () => transport.close(),
  }
}

/** The transport limits each step of the conversation; a server that is slow at every step would outlast them. */
async function withinLimit<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const error = Object.assign(new Error('the mail server took too long'), { code: 'ETIMEDOUT' })
    timer = setTimeout(() => reject(error), limitMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

interface SmtpFacts {
  readonly code?: string
  readonly responseCode?: number
}

const reasonOf = (error: unknown): OutageReason => {
  const { code, responseCode = 500 } = (error instanceof Error ? error : {}) as SmtpFacts
  if (code === 'ETIMEDOUT') return 'timeout'
  // A 5xx about a recipient or the message is permanent, and so is an address that cannot even be sent. A 4xx is
  // temporary; a refused login or greeting is a problem of our configuration, for the operator to fix.
  const aboutMessage = code === 'EENVELOPE' || code === 'EMESSAGE'
  return aboutMessage && responseCode >= 500 ? 'refused' : 'unreachable'
}
