import { z } from 'zod'
import { scopeMissing } from '../identity/refusals.ts'
import { route, signed } from '../route.ts'
import { Timestamp } from '../wire.ts'
import { codeAdmin, inProject } from './projects.ts'
import * as refused from './refusals.ts'

export const PushSecret = z
  .object({
    secret: z.string().describe('Returned only once'),
    path: z.string().describe('Where the host of the repository sends its pushes'),
    push_secret_set_at: Timestamp,
  })
  .meta({ id: 'PushSecret' })
export type PushSecret = z.infer<typeof PushSecret>

export const rotatePushSecret = route({
  ...codeAdmin,
  ...inProject,
  id: 'code.rotatePushSecret',
  method: 'POST',
  path: '/api/v1/projects/{project_id}/repository/push-secret',
  summary: 'Create the secret for the push hook of a repository',
  description:
    'Store `secret` from the response: it is returned only once. Enter it, with `path` of this installation as the address, as a webhook for pushes at the host of the repository. A new secret replaces the one before immediately.',
  tells_once: true,
  responses: { 201: PushSecret },
  refusals: [scopeMissing, refused.projectNotFound, refused.projectArchived, refused.noRepository],
})

/** Hosts send much more, each in its own form. What is not as expected says nothing, and is no reason to refuse. */
const maybe = <S extends z.ZodType>(schema: S) => schema.optional().catch(undefined)
const WithDefaultBranch = z.looseObject({ default_branch: maybe(z.string()) })

export const PushNotice = z
  .looseObject({
    ref: maybe(z.string()).describe('Such as `refs/heads/main`; without one, the remote is asked'),
    repository: maybe(WithDefaultBranch),
    project: maybe(WithDefaultBranch),
  })
  .catch({})
export type PushNotice = z.infer<typeof PushNotice>

/** `other_branch`: not the one that is indexed, so nothing has to be done. */
export const pushResults = ['requested', 'other_branch'] as const

export const receivePush = route({
  ...inProject,
  auth: signed(refused.pushRefused),
  id: 'code.receivePush',
  method: 'POST',
  path: '/api/v1/projects/{project_id}/repository/pushed',
  summary: 'Receive a push of the attached repository',
  description:
    'For the webhooks of GitHub, Gitea, Forgejo and GitLab. The body is any JSON, or a form with JSON in `payload`, signed with the push secret of the project: `X-Hub-Signature-256` or `X-Gitlab-Token`. If `ref` is the indexed branch, or is missing, the repository is fetched and indexed; many pushes lead to one run and at most one more after it. Nothing else is taken from the body. An unknown project and a wrong signature get the same refusal.',
  example: { body: { ref: 'refs/heads/main' } },
  judges_texts: true,
  missing: refused.pushRefused,
  body: PushNotice,
  responses: { 202: z.object({ result: z.enum(pushResults) }) },
  refusals: [refused.pushRefused],
})
