import { notFound } from '@crewhall/contracts/refusal.ts'
import type { PlainAnswer } from '#platform/http/plain-route.ts'
import type { ConsentDeps } from './consent.service.ts'
import type { ExchangeDeps } from './exchange.service.ts'
import { answerJson } from './forms.ts'
import { describeResource, describeServer } from './metadata.rules.ts'
import { resourceAt } from './resources.rules.ts'

export { registerClient } from './clients.service.ts'
export { answerConsent, showConsent } from './consent.service.ts'
export { refusedPage } from './consent-page.ts'
export { exchange, revoke } from './exchange.service.ts'
export { refuseJson } from './forms.ts'

export interface OAuthDeps extends ConsentDeps, ExchangeDeps {}

/** Anybody may know it, pages of other sites as well. */
const open = { 'access-control-allow-origin': '*' }

/** Says nothing of which agents there are. */
export function showResource({ origin, sessions }: OAuthDeps, path: string): PlainAnswer {
  const resource = resourceAt(path)
  if (!resource) throw notFound()
  return answerJson(describeResource(origin, sessions.service_name, resource), open)
}

export const showServer = ({ origin }: OAuthDeps): PlainAnswer => answerJson(describeServer(origin), open)
