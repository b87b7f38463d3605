import * as contract from '@crewhall/contracts/identity/device.ts'
import { Answer } from '#platform/http/answer.ts'
import { handle } from '#platform/http/handle.ts'
import { type DeviceDeps, decideDevice, showDevice, startDevice } from './device.service.ts'
import { type HandOverDeps, pollDevice } from './device-hand-over.service.ts'

/** RFC 8628, 3.2 and RFC 6749, 5.1. */
const unstored = { 'cache-control': 'no-store' }

export const deviceRoutes = (deps: DeviceDeps & HandOverDeps) => [
  handle(
    contract.requestDeviceCode,
    async (ctx, { body, ...from }) => new Answer(200, await startDevice(ctx, deps, from, body), unstored),
  ),
  handle(
    contract.redeemDeviceCode,
    async (ctx, { body, ...from }) =>
      new Answer(200, await pollDevice(ctx, deps, from, body.device_code), unstored),
  ),
  handle(contract.getDeviceRequest, (ctx, { query, network }) =>
    showDevice(ctx, deps, network, query.user_code),
  ),
  handle(contract.decideDeviceRequest, async (ctx, { body, network }) => ({
    decision: await decideDevice(ctx, deps, network, body),
  })),
]
