export { noteOffered } from './checks/checks.service.ts'
export type { Granted, GrantedCaller, Grants } from './grants/grants.service.ts'
export type { InstallDeps, ListTools } from './installs/listing.service.ts'
export { packagesAmong } from './packages/packages.service.ts'
export {
  type PreparedPackage,
  preparePackages,
  type ReferringHire,
  type Released,
  releaseReferences,
  takeReferences,
} from './references/references.service.ts'
