import { refusal } from '../refusal.ts'

export const maxProjects = 500

export const projectNotFound = refusal(404, 'Project not found')
export const projectArchived = refusal(409, 'The project is archived')
export const projectLimit = refusal(
  409,
  `A workspace has at most ${maxProjects} projects that are not archived`,
)
export const unknownCursor = refusal(422, 'cursor: must be a next_cursor of this list')
export const noRepository = refusal(409, 'The project has no repository')
/** One text for every reason, so that nobody learns how a name resolves inside the network. */
export const repositoryAddressRefused = refusal(
  422,
  'url: must be an https or ssh address of a repository on the public Internet',
)
export const credentialMismatch = refusal(
  422,
  'An https address takes `username` and `password`, an ssh address takes `private_key`',
)
export const hostKeysMissing = refusal(422, 'host_keys: an ssh address needs the public keys of its host')
/** One text for every reason, so that nobody learns which projects there are. */
export const pushRefused = refusal(403, 'The signature does not fit')
export const noReadyIndex = refusal(409, 'The project has no complete index yet')
export const codeNotFound = refusal(404, 'No such code in the index')
