import type { AnyRoute } from '@crewhall/contracts/route.ts'
import { routeFiles } from './route-files.ts'

/** The route of `boards.getCard`; nothing if there is none. No other contract is loaded. */
export async function loadRoute(name: string): Promise<AnyRoute | undefined> {
  const [, load] = routeFiles.find(([names]) => names.split(' ').includes(name)) ?? []
  if (!load) return undefined
  const [, method = ''] = name.split('.')
  return ((await load()) as Readonly<Record<string, AnyRoute>>)[method]
}
