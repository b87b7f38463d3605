import type { Detail } from '@crewhall/contracts/refusal.ts'
import { escaped } from '#platform/letter/letter.ts'

// Nothing is fetched or run, nobody may frame it, and its form goes back to where it came from.
const headers = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
}
const type = 'text/html; charset=utf-8'

const page = (title: string, content: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8">` +
  `<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex">` +
  `<title>${title}</title></head><body style="max-width:32rem;margin:4rem auto;padding:0 1rem;` +
  `font:16px/1.5 system-ui,sans-serif"><h1 style="font-size:1.25rem">${title}</h1>${content}</body></html>`

/** Without an address, so the form goes to the link that was opened. */
export const askingPage = (serviceName: string) => ({
  status: 200,
  type,
  headers,
  body: page(
    'Stop e-mails about your inbox?',
    `<p>${escaped(serviceName)} will send you no more e-mails about this inbox. What waits for you stays there, and ` +
      'you can ask for e-mails again in its settings.</p>' +
      '<form method="post"><button style="font:inherit;padding:.5rem 1rem">Stop these e-mails</button></form>',
  ),
})

export const donePage = (serviceName: string) => ({
  status: 200,
  type,
  headers,
  body: page('Done', `<p>${escaped(serviceName)} sends you no more e-mails about this inbox.</p>`),
})

export const refusedPage = ({ status, detail }: { readonly status: number; readonly detail: Detail }) => ({
  status,
  type,
  headers,
  body: page(
    'This did not work',
    `<p>${escaped(typeof detail === 'string' ? detail : JSON.stringify(detail))}</p>`,
  ),
})
