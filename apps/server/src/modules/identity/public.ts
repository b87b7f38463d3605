export { askForProof } from './email-proofs/email-proofs.service.ts'
export type { NewPerson } from './identity.ports.ts'
export {
  changeRole,
  endMembership,
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
  voidResetLink,
} from './passwords/passwords.service.ts'
export {
  findAccountByEmail,
  findPersonByEmail,
  holdPersonByEmail,
  listPeople,
  noteVerifiedEmail,
  type PersonFacts,
  registerPerson,
} from './people/people.service.ts'
export { brandNameOf, lockPlan, type PlanFacts, planOf } from './plans/plans.service.ts'
