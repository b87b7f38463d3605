import { oneLine } from '#platform/letter/one-line.ts'
import type { Message } from '#platform/mail/mail.ts'

/** The content of an e-mail, in order. Names may be as people typed them. */
export interface Letter {
  readonly to: string
  readonly subject: string
  /** Name for the greeting; absent if only an address is known. */
  readonly name?: string
  /** What happened, who did it, and how long it is valid. */
  readonly lines: readonly string[]
  readonly action?: { readonly label: string; readonly url: string }
  /** What to do if the recipient did not expect it. */
  readonly unexpected: string
  /** Where it is ended, for e-mails that come again. It must work by POST and without signing in (RFC 8058). */
  readonly unsubscribe_url?: string
}

/** The service named in the signature. */
export interface Sender {
  readonly service_name: string
  readonly public_url: string
}

/** A sentence of ours holds up to three names. */
const maxSentence = 400
/** Escapes every special character, so that no part of a name can become markup. */
export const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

/** The layout of all e-mails, as text and HTML. */
export function writeLetter(letter: Letter, sender: Sender): Message {
  const { to, action, unsubscribe_url } = letter
  const greeting = letter.name ? `Hello ${oneLine(letter.name)},` : 'Hello,'
  const lines = letter.lines.map((line) => oneLine(line, maxSentence))
  const unexpected = oneLine(letter.unexpected, maxSentence)
  const signature = `${oneLine(sender.service_name)} · ${sender.public_url}`
  const text = [
    greeting,
    ...lines,
    ...(action ? [`${action.label}:\n${action.url}`] : []),
    unexpected,
    ...(unsubscribe_url ? [`${unsubscribe}:\n${unsubscribe_url}`] : []),
    `--\n${signature}`,
  ]
  const html = [
    ...[greeting, ...lines].map(paragraph),
    ...(action ? [button(action), spelledOut(action.url)] : []),
    `<p style="margin:24px 0 0;color:#5f6670">${escaped(unexpected)}</p>`,
    ...(unsubscribe_url ? [smallLink(unsubscribe_url)] : []),
  ]
  return {
    to,
    subject: oneLine(letter.subject),
    text: `${text.join('\n\n')}\n`,
    html: page(oneLine(letter.subject), html.join(''), escaped(signature)),
    ...(unsubscribe_url ? { headers: oneClick(unsubscribe_url) } : {}),
  }
}

const unsubscribe = 'Stop these e-mails'

/** RFC 2369 and RFC 8058: mail clients offer a button of their own. */
const oneClick = (url: string) => ({
  'List-Unsubscribe': `<${url}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
})

const smallLink = (url: string): string =>
  `<p style="margin:16px 0 0;font-size:13px"><a href="${escaped(url)}" style="color:#5f6670">${unsubscribe}</a></p>`

const paragraph = (line: string): string => `<p style="margin:0 0 16px">${escaped(line)}</p>`

const button = ({ label, url }: { label: string; url: string }): string =>
  `<p style="margin:24px 0"><a href="${escaped(url)}" style="display:inline-block;padding:12px 20px;` +
  `border-radius:6px;background:#1f4fd8;color:#ffffff;font-weight:600;text-decoration:none">${escaped(label)}</a></p>`

/** For mail clients without buttons, and for readers who check a link before they click. */
const spelledOut = (url: string): string =>
  `<p style="margin:0 0 16px;font-size:13px;color:#5f6670">Or open this link:<br>` +
  `<a href="${escaped(url)}" style="color:#1f4fd8;word-break:break-all">${escaped(url)}</a></p>`

// Inline styles, because many clients drop style sheets; no images, so nothing is fetched.
const page = (title: string, content: string, signature: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8">` +
  `<meta name="viewport" content="width=device-width,initial-scale=1"><title>${escaped(title)}</title></head>` +
  `<body style="margin:0;padding:24px 12px;background:#f3f4f6">` +
  `<div style="max-width:560px;margin:0 auto;padding:32px;box-sizing:border-box;border-radius:8px;` +
  `background:#ffffff;color:#1b1f24;overflow-wrap:anywhere;font:16px/1.5 -apple-system,'Segoe UI',Roboto,` +
  `Helvetica,Arial,sans-serif">${content}</div>` +
  `<p style="max-width:560px;margin:16px auto 0;text-align:center;font:13px/1.5 -apple-system,'Segoe UI',` +
  `Roboto,Helvetica,Arial,sans-serif;color:#5f6670">${signature}</p></body></html>`
