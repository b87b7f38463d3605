import * as contract from '@crewhall/contracts/code-index/push-hook.ts'
import { handle, handleSigned } from '#platform/http/handle.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import * as service from './push-hook.service.ts'

export const pushHookRoutes = (box: SecretBox) => [
  handle(contract.rotatePushSecret, (ctx, { params }) =>
    service.rotatePushSecret(ctx, box, params.project_id),
  ),
  handleSigned(contract.receivePush, {
    signer: (ctx, { project_id }) => service.findHook(ctx, box, project_id),
    run: (ctx, { params, body }, hook) => service.receivePush(ctx, hook, params.project_id, body),
  }),
]
