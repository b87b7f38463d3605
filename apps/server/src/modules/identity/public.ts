export { createAgent } from './agents/agents.service.ts'
export { type AgentFacts, findAgent, holdAgent, listAgentsAmong } from './agents/owned-agents.service.ts'
export { askForProof } from './email-proofs/email-proofs.service.ts'
export {
  type FurtherCredential,
  furtherCredentials,
  type NewPerson,
  newPeople,
  type ShownRequest,
} from './identity.ports.ts'
export { countLetter, type LetterLimits } from './letters/letter-limits.service.ts'
export {
  changeRole,
  endMembership,
  findMailedMember,
  findMembership,
  getMembership,
  holdMembership,
  joinBrand,
  listMembersAmong,
  listMemberships,
  type MembershipFacts,
} from './memberships/memberships.service.ts'
export {
  hashOfPassword,
  issueResetLink,
  refuseForeignAccount,
  replacePassword,
  resetLetter,
  voidResetLink,
} from './passwords/passwords.service.ts'
export {
  findAccountByEmail,
  findPersonByEmail,
  holdPersonByEmail,
  isAddressOfAnother,
  listPeople,
  moveAccountAddress,
  noteVerifiedEmail,
  type PersonFacts,
  registerPerson,
} from './people/people.service.ts'
export { brandNameOf, lockPlan, type PlanFacts, planOf } from './plans/plans.service.ts'
export { lockSubscription, type SubscriptionFacts, subscriptionOf } from './plans/subscriptions.service.ts'
export { notePlatform, type PlatformFact } from './platform-audit/platform-audit.service.ts'
export {
  holdService,
  narrowServiceToken,
  renewServiceToken,
  revokeServiceTokens,
  scopesWithin,
} from './services/service-tokens.service.ts'
export {
  closeService,
  issueServiceToken,
  openService,
  type ServiceToken,
} from './services/services.service.ts'
