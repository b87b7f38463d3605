import { Refusal, refusal, refusalOf } from '../refusal.ts'
import type { Scope } from '../scopes.ts'

/** AUTH-G4: one body for every cause, so that wrong and expired credentials look the same. */
export const notAuthenticated = Object.assign(
  () => new Refusal(401, 'Not authenticated', { 'www-authenticate': 'Bearer' }),
  { status: 401, text: 'Not authenticated' },
)

export const brandNotFound = refusal(404, 'Brand not found')
export const adminRequired = refusal(403, 'Brand admin access required')
export const noWorkspace = refusal(
  403,
  'This session has no workspace; accept an invitation or switch to a workspace first',
)
export const crossSite = refusal(403, 'Cross-site request refused')
/** The caller has said what workspace it means, and the session was switched meanwhile. */
export const otherBrand = refusal(409, 'This session or token acts for another workspace now')

/** AUTH-28, AUTH-29, AUTH-G11, AUTH-G12: every missing scope, and whether the workspace would allow it. */
export const scopeMissing = refusalOf(
  403,
  'Token lacks scope …; the workspace policy allows it, or does not allow it',
  (missing: readonly Scope[], ceiling: readonly string[]) => {
    const named = `Token lacks ${missing.length > 1 ? 'scopes' : 'scope'} ${missing.join(', ')}`
    const outside = missing.filter((scope) => !ceiling.includes(scope))
    if (outside.length === 0)
      return `${named}; the workspace policy allows ${missing.length > 1 ? 'them' : 'it'}`
    const what = missing.length > 1 ? outside.join(', ') : 'it'
    return `${named}; the workspace policy does not allow ${what}`
  },
)

export const wrongPassword = refusal(401, 'Wrong e-mail address or password')
/** Not 401: clients would take the person for signed out. */
export const currentPasswordWrong = refusal(403, 'The current password is wrong')
export const sessionNotFound = refusal(404, 'Session not found')
export const tooManyAttempts = refusal(429, 'Too many attempts; try again later')
export const emailTaken = refusal(409, 'This e-mail address cannot be used')
export const resetLinkDead = refusal(400, 'This link is no longer valid')
export const signInToConfirm = refusal(401, 'Sign in to the account whose address this link confirms')
export const addressUnproven = refusal(409, 'The owner of this e-mail address has not confirmed it yet')
export const signUpClosed = refusal(403, 'Sign-up is closed on this installation; ask for an invitation')
export const mailDomainRefused = refusal(403, 'Sign-up is not open to this mail domain')
export const scopeOutsideCeiling = refusalOf(
  403,
  'The workspace policy does not allow scope …',
  (outside: readonly string[]) => `The workspace policy does not allow scope ${outside.join(', ')}`,
)
export const tokenNotFound = refusal(404, 'Token not found')
export const tokenLimit = refusal(409, 'A person has at most 100 live tokens in a workspace')
/** S3. */
export const signInForTokens = refusal(
  403,
  'A token can manage only itself and the tokens it issued; sign in to manage others',
)
export const tokenOfAnother = refusal(
  403,
  'A token of an agent can create and rotate only tokens of that agent',
)
export const tokenOfApp = refusal(409, 'The app that this token belongs to renews it by itself')
export const serviceTokensFixed = refusal(
  403,
  'This token belongs to a service account, which cannot create or rotate tokens',
)
export const serviceClosed = refusal(409, 'The agent has no service account')
/** MEMO-37: unknown agents, those of other workspaces and those of the platform are one response from one statement. */
export const agentNotOwned = refusal(403, 'This agent does not belong to the workspace')
export const agentRetired = refusal(409, 'The agent is retired')
export const agentNotFound = refusal(404, 'Agent not found')
/** Also for an id of the platform. */
export const agentIdTaken = refusal(409, 'This agent id cannot be used')
export const agentLimit = refusal(409, 'A workspace has at most 5,000 active agents')
export const agentNamedTwice = refusal(422, 'agent: must be left out with agent_id')
export const unknownAgentCursor = refusal(422, 'cursor: must be a next_cursor of this list')
export const platformAdminRequired = refusal(403, 'Platform admin access required')
export const planNotFound = refusal(404, 'Plan not found')
export const personNotFound = refusal(404, 'Person not found')
export const lastStaff = refusal(409, 'The last platform admin cannot be removed')
export const lastAdminDemoted = refusal(409, 'The last workspace admin cannot be changed to a member')
export const lastAdminRemoved = refusal(409, 'The last workspace admin cannot be removed')
export const resetInstead = refusal(409, "Send a reset link instead of setting this person's password.")
export const noAuthAccount = refusal(400, 'User has no auth account')

/** RFC 8628, 3.5: its words are `detail.error`, because every error body is `{ detail }`. */
const devicePoll = (error: string, error_description: string) =>
  refusalOf(400, `${error}: ${error_description}`, () => ({ error, error_description }))
export const authorizationPending = devicePoll('authorization_pending', 'The person has not decided yet')
export const slowDown = refusalOf(
  400,
  'slow_down: Polled too soon; the interval is longer from now on',
  (interval: number) => ({
    error: 'slow_down',
    error_description: 'Polled too soon; the interval is longer from now on',
    interval,
  }),
)
export const deviceDenied = devicePoll('access_denied', 'The person has denied access')
/** Unknown and used codes too: nobody learns which codes there are. */
export const deviceCodeExpired = devicePoll('expired_token', 'The code is no longer valid; start again')
export const deviceCodeUnknown = refusal(404, 'No program is waiting with this code')
export const tooManyDeviceCodes = refusal(429, 'Too many sign-ins are waiting; try again later')

export const passwordNotRight = refusal(403, 'Wrong password')
export const nameNotRight = refusal(409, 'The name does not match the workspace')
export const erasureBegun = refusal(409, 'The erasure has started and cannot be canceled')
export const lastAdminErased = refusalOf(
  409,
  'The only admin of a workspace with other members cannot be erased; make someone else an admin of … first',
  (names: readonly string[]) =>
    `The only admin of a workspace with other members cannot be erased; make someone else an admin of ${names.join(', ')} first`,
)
