import { createTransport } from 'nodemailer'
import { Outage } from '#platform/outage/outage.ts'

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
  /** Equal for every attempt at the same message, so that a receiver can tell a repeat. */
  readonly message_id?: string
}

export interface Mail {
  send(message: Message): Promise<void>
  close(): void
}

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
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send({ message_id, ...message }) {
      try {
        await transport.sendMail({
          from: options.from,
          ...message,
          ...(message_id ? { messageId: message_id } : {}),
        })
      } catch (error) {
        throw new Outage('mail', reasonOf(error), { cause: error })
      }
    },
    close: () => transport.close(),
  }
}

const reasonOf = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ETIMEDOUT' ? 'timeout' : 'unreachable'
