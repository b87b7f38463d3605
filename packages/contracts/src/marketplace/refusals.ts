import { refusal } from '../refusal.ts'

export const maxInstalls = 50
/** Of the server of one package. */
export const maxPinnedTools = 64
export const maxGrantedAgents = 200
export const maxVersions = 100

export const packageNotFound = refusal(404, 'Package not found')
export const versionNotFound = refusal(404, 'Version not found')
export const installNotFound = refusal(404, 'Install not found')
export const packageExists = refusal(409, 'There is already a package with this key')
export const packageBuiltIn = refusal(409, 'Built-in packages are published with the server')
export const versionPublished = refusal(
  409,
  'This version is already published with other content; publish a new version',
)
/** One text for every reason, so that nobody learns how a name resolves inside the network. */
export const serverAddressRefused = refusal(422, 'url: must be an https address on the public Internet')
export const versionWithdrawn = refusal(409, 'This version was withdrawn')
export const tooManyVersions = refusal(409, `A package has at most ${maxVersions} versions`)
export const alreadyInstalled = refusal(409, 'The package is already installed')
export const tooManyInstalls = refusal(409, `A workspace has at most ${maxInstalls} installed packages`)
export const credentialRequired = refusal(422, 'credential: required by this package')
export const credentialUnused = refusal(422, 'credential: not used by this package')
/** A secret that was given to one server is not for another. */
export const credentialOfOtherServer = refusal(
  409,
  'The server of this version has another address, and the credential is for the present one; uninstall the package and install this version with its credential',
)
export const agentsUnknown = refusal(422, 'agent_ids: must be active agents of this workspace')
export const installInUse = refusal(409, 'The package is used by a hire; disable it instead')
export const nothingToApprove = refusal(409, 'The tools of this package have not changed')
export const approvalOutdated = refusal(
  409,
  'The tools have changed again; read the install and approve what it shows',
)
