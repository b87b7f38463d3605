import { createHash } from 'node:crypto'
import { type Scope, scopeWords } from '@crewhall/contracts/scopes.ts'
import type { PlainAnswer } from '#platform/http/plain-route.ts'
import { escaped } from '#platform/letter/letter.ts'
import { sourceOf, targetOf } from './redirects.rules.ts'

const style =
  'body{max-width:34rem;margin:3rem auto;padding:0 1rem;font:16px/1.5 system-ui,sans-serif;color:#1c2024;background:#fff}' +
  'h1{font-size:1.375rem;line-height:1.3;overflow-wrap:anywhere}dt{font-weight:600;margin-top:1rem}' +
  'dd{margin:0;overflow-wrap:anywhere}ul{margin:0;padding-left:1.25rem}' +
  'label{display:block;margin:.75rem 0}label.pick{margin:.25rem 0}fieldset{border:1px solid #8b8d98;border-radius:6px;margin:1.5rem 0}' +
  'input[type=email],input[type=password]{display:block;width:100%;box-sizing:border-box;font:inherit;padding:.5rem;border:1px solid #8b8d98;border-radius:6px}' +
  'button{font:inherit;padding:.5rem 1.25rem;margin:.5rem .5rem 0 0;border:1px solid #1c2024;border-radius:6px;background:#fff;color:#1c2024}' +
  'button.yes{background:#1c2024;color:#fff}:focus-visible{outline:3px solid #0d74ce;outline-offset:2px}' +
  '.note{border-left:4px solid #ce2c31;padding-left:.75rem}.small{font-size:.875rem;color:#60646c}'
const styleDigest = createHash('sha256').update(style).digest('base64')
const type = 'text/html; charset=utf-8'

/**
 * Nothing is fetched or run and nobody may frame it. Browsers apply `form-action` to where an answer of the form leads as
 * well, so it names whom the person is sent back to.
 */
const headersFor = (redirectUri?: string) => ({
  'content-security-policy':
    `default-src 'none'; style-src 'sha256-${styleDigest}'; base-uri 'none'; frame-ancestors 'none'; ` +
    `form-action 'self'${redirectUri === undefined ? '' : ` ${sourceOf(redirectUri)}`}`,
  'x-frame-options': 'DENY',
  // Without it browsers would hide where the form was sent from, also from us.
  'referrer-policy': 'same-origin',
})

const page = (title: string, content: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8">` +
  `<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex">` +
  `<title>${title}</title><style>${style}</style></head><body><main><h1>${title}</h1>${content}</main></body></html>`

const noteOf = (text: string | undefined): string =>
  text === undefined ? '' : `<p class="note" role="alert">${escaped(text)}</p>`

export interface Asking {
  readonly service_name: string
  readonly client_name: string
  readonly redirect_uri: string
  /** What went wrong before. */
  readonly note?: string | undefined
  readonly status?: number | undefined
}

/** The form goes back to the address that was opened, with everything the program asked for. */
export const signInPage = (asking: Asking): PlainAnswer => ({
  status: asking.status ?? 200,
  type,
  headers: headersFor(asking.redirect_uri),
  body: page(
    `Sign in to ${escaped(asking.service_name)}`,
    `<p>An app that calls itself <strong>${escaped(asking.client_name)}</strong> asks for access. ` +
      `You decide about it after you have signed in.</p>${noteOf(asking.note)}` +
      '<form method="post"><input type="hidden" name="action" value="sign_in">' +
      '<label>E-mail address<input type="email" name="email" autocomplete="username" required maxlength="254"></label>' +
      '<label>Password<input type="password" name="password" autocomplete="current-password" required maxlength="1000"></label>' +
      '<button class="yes">Sign in</button></form>',
  ),
})

export interface Consent extends Asking {
  readonly person_name: string
  readonly scopes: readonly Scope[]
  readonly agent_id: string | null
  readonly brands: readonly { readonly brand_id: number; readonly name: string; readonly role: string }[]
  readonly chosen: number | undefined
  readonly form_token: string
}

export const consentPage = (consent: Consent): PlainAnswer => ({
  status: consent.status ?? 200,
  type,
  headers: headersFor(consent.redirect_uri),
  body: page(
    `Allow “${escaped(consent.client_name)}” to use ${escaped(consent.service_name)}?`,
    `${noteOf(consent.note)}<p>You are signed in as <strong>${escaped(consent.person_name)}</strong>. The app chose its ` +
      'name itself, and nobody has verified it. Allow it only if you have just started this from an app that you trust.</p>' +
      `<dl><dt>Access is handed to</dt><dd>${escaped(targetOf(consent.redirect_uri))}</dd>` +
      (consent.agent_id === null
        ? ''
        : `<dt>It acts as the agent</dt><dd>${escaped(consent.agent_id)}</dd>`) +
      '<dt>The app will be able to</dt><dd><ul><li>Use boards, tasks and everything else that needs no scope, as you can</li>' +
      `${consent.scopes.map((scope) => `<li>${escaped(scopeWords[scope])} (${escaped(scope)})</li>`).join('')}</ul></dd></dl>` +
      '<form method="post"><input type="hidden" name="action" value="decide">' +
      `<input type="hidden" name="form_token" value="${escaped(consent.form_token)}">` +
      `<fieldset><legend>In the workspace</legend>${consent.brands.map((brand) => pick(brand, consent.chosen)).join('')}</fieldset>` +
      '<button class="yes" name="decision" value="allow">Allow</button>' +
      '<button name="decision" value="deny" formnovalidate>Deny</button></form>' +
      '<p class="small">It never has more rights than you. You can end its access at any time in the list of tokens of the workspace.</p>',
  ),
})

const pick = ({ brand_id, name, role }: Consent['brands'][number], chosen: number | undefined): string =>
  `<label class="pick"><input type="radio" name="brand_id" value="${brand_id}" required` +
  `${brand_id === chosen ? ' checked' : ''}> ${escaped(name)} (${escaped(role)})</label>`

/** For what cannot be told to the program, because it is not known or not to be trusted. */
export const refusedPage = ({
  status,
  detail,
}: {
  readonly status: number
  readonly detail: unknown
}): PlainAnswer => ({
  status,
  type,
  headers: headersFor(),
  body: page('This did not work', `<p>${escaped(wordsOf(detail))}</p>`),
})

const wordsOf = (detail: unknown): string =>
  typeof detail === 'string'
    ? detail
    : String((detail as { error_description?: unknown }).error_description ?? JSON.stringify(detail))
