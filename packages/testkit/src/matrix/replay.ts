import { type AnyRoute, takesKey } from '@crewhall/contracts/route.ts'

type Get = (path: string, init?: RequestInit) => Promise<Response>

/** A caller who lost access by the first call does not get its response again. */
const shutOut = [401, 403]

/** The same call with the same key again: every write of a workspace has to answer as the first time. */
export async function faultOfReplay(
  get: Get,
  route: AnyRoute,
  call: { readonly path: string; readonly init: RequestInit },
  first: { readonly status: number; readonly body: string },
): Promise<string | undefined> {
  if (!takesKey(route) || first.status >= 400) return undefined
  const again = await get(call.path, call.init)
  const body = await again.text()
  if (shutOut.includes(again.status)) return undefined
  if (route.tells_once) {
    const isRefused = again.status === 409 && body.includes('shown only once')
    return isRefused ? undefined : `a secret was shown twice: ${again.status}`
  }
  if (again.headers.get('idempotent-replayed') !== 'true') return `was carried out twice for one key: ${body}`
  if (again.status !== first.status || body !== first.body)
    return `answered one key in two ways: ${first.status} ${first.body} and ${again.status} ${body}`
  return undefined
}
