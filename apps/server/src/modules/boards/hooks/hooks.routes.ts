import * as told from '@crewhall/contracts/boards/delivery.ts'
import * as contract from '@crewhall/contracts/boards/hooks.ts'
import { handle, handleSigned } from '#platform/http/handle.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import { cardIdOf } from '../cards/task-ids.service.ts'
import { getDelivery } from './delivery.service.ts'
import * as service from './hooks.service.ts'
import { getMergeMove, setMergeMove } from './merge-moves.service.ts'
import { findSender, receive } from './receive.service.ts'

export const hookRoutes = (box: SecretBox) => [
  handle(contract.listHooks, (ctx) => service.listAllHooks(ctx)),
  handle(contract.createHook, (ctx, { body }) => service.openHook(ctx, box, body)),
  handle(contract.getHook, (ctx, { params }) => service.getOneHook(ctx, params.hook_id)),
  handle(contract.changeHook, (ctx, { params, body }) => service.changeOneHook(ctx, params.hook_id, body)),
  handle(contract.deleteHook, (ctx, { params }) => service.endHook(ctx, params.hook_id)),
  handle(contract.rotateHookSecret, (ctx, { params }) => service.rotateSecret(ctx, box, params.hook_id)),
  handle(told.getDelivery, async (ctx, { params }) => getDelivery(ctx, await cardIdOf(ctx, params.task_id))),
  handle(told.getMergeMove, (ctx, { params }) => getMergeMove(ctx, params.board_id)),
  handle(told.setMergeMove, (ctx, { params, body }) => setMergeMove(ctx, params.board_id, body.column)),
  handleSigned(contract.receiveDelivery, {
    signer: (ctx, { hook_id }, headers) => findSender(ctx, box, hook_id, headers),
    run: (ctx, { body }, sender) => receive(ctx, sender, body),
  }),
]
