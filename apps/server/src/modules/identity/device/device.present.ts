import { type DeviceRequest, formatUserCode } from '@crewhall/contracts/identity/device.ts'
import type { DeviceCodeRow } from './device.store.ts'

/** `network` is the one that the person calls from. */
export function presentDeviceRequest(
  { host, client, network, scopes, created_at, expires_at }: DeviceCodeRow,
  user_code: string,
  ownNetwork: string,
): DeviceRequest {
  return {
    user_code: formatUserCode(user_code),
    host,
    client,
    network,
    same_network: network === ownNetwork,
    asks_for: scopes === null ? 'session' : 'token',
    scopes,
    created_at,
    expires_at,
  }
}
