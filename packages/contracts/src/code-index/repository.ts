import { z } from 'zod'
import { nothing } from '../bytes.ts'
import { scopeMissing } from '../identity/refusals.ts'
import { route } from '../route.ts'
import { text } from '../wire.ts'
import { codeAdmin, inProject, Repository } from './projects.ts'
import * as refused from './refusals.ts'

/**
 * As `git check-ref-format` has it, and without parts that begin with a dash. No part begins or ends with a dot or holds
 * two in a row. Without lookahead, so that a generator can make such names; parts that end with `.lock` are refused beside
 * it.
 */
const branchForm =
  /^[\w!#$%&'(),+;<=>@|}\u00a1-\ud7ff\ue000-\uffff](?:\.?[\w!#$%&'(),+;<=>@|}\u00a1-\ud7ff\ue000-\uffff-])*(?:\/[\w!#$%&'(),+;<=>@|}\u00a1-\ud7ff\ue000-\uffff](?:\.?[\w!#$%&'(),+;<=>@|}\u00a1-\ud7ff\ue000-\uffff-])*)*$/
const noBranch = 'must be the name of a branch'
const hostKeyForm = /^(?:ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(?:256|384|521)) [A-Za-z0-9+/]{40,1900}={0,2}$/

export const NewRepository = z.object({
  url: text(1, 2000),
  branch: z
    .string()
    .max(200)
    .regex(branchForm, noBranch)
    .refine((name) => !/\.lock(?:\/|$)/.test(name), noBranch)
    .nullable()
    .optional(),
  username: z.string().max(200).optional(),
  password: z.string().min(1).max(2000).optional(),
  private_key: z.string().min(1).max(20_000).optional(),
  host_keys: z
    .array(z.string().max(2000).regex(hostKeyForm, 'must be a public key such as `ssh-ed25519 AAAA…`'))
    .max(10)
    .optional(),
})
export type NewRepository = z.infer<typeof NewRepository>

export const attachRepository = route({
  ...codeAdmin,
  ...inProject,
  id: 'code.attachRepository',
  method: 'PUT',
  path: '/api/v1/projects/{project_id}/repository',
  summary: 'Attach a repository to a project',
  description:
    'Replaces the one that was attached. `url` is an https address, or an ssh address such as `ssh://git@git.example.com/team/engine.git`, which also needs `private_key` and the `host_keys` of its host (`ssh-keyscan` prints them). For https, send `username` and `password`, such as an access token. Credentials are stored encrypted and never returned; without any in the body, those stored for the same `url` stay. Without `branch` the default branch is indexed.',
  example: { body: { url: 'https://93.184.215.14/team/engine.git', branch: 'main' } },
  takes_secret: true,
  body: NewRepository,
  responses: { 200: Repository },
  refusals: [
    scopeMissing,
    refused.projectNotFound,
    refused.projectArchived,
    refused.repositoryAddressRefused,
    refused.credentialMismatch,
    refused.hostKeysMissing,
  ],
})

export const detachRepository = route({
  ...codeAdmin,
  ...inProject,
  id: 'code.detachRepository',
  method: 'DELETE',
  path: '/api/v1/projects/{project_id}/repository',
  summary: 'Detach the repository of a project',
  description:
    'Its copy and its credentials are deleted. What was indexed keeps its ids, for the case that the repository is attached again.',
  responses: { 204: nothing },
  refusals: [scopeMissing, refused.projectNotFound, refused.noRepository],
})
