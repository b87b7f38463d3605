import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import { routes } from '@crewhall/contracts/routes.ts'

const folder = resolve(import.meta.dirname, '../../packages/contracts/src')

/** Which contract has which routes, for the command line: it loads the one that a command needs, and no other. */
export async function cliRoutes(): Promise<string> {
  const named = new Map<unknown, string>(
    Object.entries(routes).flatMap(([module, all]) =>
      Object.entries(all).map(([method, route]) => [route, `${module}.${method}`] as const),
    ),
  )
  const lines: string[] = []
  for (const file of globSync('*/*.ts', { cwd: folder, exclude: ['**/*.test.ts'] }).toSorted()) {
    const exported = Object.values((await import(resolve(folder, file))) as object)
    const names = [...new Set(exported.flatMap((each) => named.get(each) ?? []))]
    if (names.length > 0)
      lines.push(`  ['${names.toSorted().join(' ')}', () => import('@crewhall/contracts/${file}')],`)
  }
  return [
    '// Generated from the contracts by `npm run gen`.',
    '',
    '/** Names of routes, and the contract that has them. */',
    'export const routeFiles: readonly (readonly [names: string, load: () => Promise<object>])[] = [',
    ...lines,
    ']',
    '',
  ].join('\n')
}
