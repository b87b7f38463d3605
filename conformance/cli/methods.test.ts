import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AnyRoute, isRead } from '@crewhall/contracts/route.ts'
import { routes } from '@crewhall/contracts/routes.ts'
import { methodsOf } from '@crewhall/contracts/tools/packages.ts'
import { callOf } from '@crewhall/testkit/matrix/call.ts'
import { freshValues } from '@crewhall/testkit/matrix/fresh.ts'
import { type Caller, outsiderEmail, type World } from '@crewhall/testkit/matrix/part.ts'
import { createWorld } from '@crewhall/testkit/matrix/world.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import type pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { type CommandLine, type Ended, useCommandLine } from './command-line.ts'

// Each method of the package, called once by the program with the example of its contract.
const server = useServer('product')
const newPerson = useCommandLine()
let admin: pg.Client
let world: World
let caller: Caller
let person: CommandLine
beforeAll(async () => {
  admin = await server.connection('superuser')
  world = await createWorld((path, init) => server.get(path, init), admin)
  const found = world.callers.find(({ name }) => name === 'admin, token')
  if (!found) throw new Error('the world has no admin with a token')
  caller = found
  const token = (caller.headers.authorization ?? '').replace('Bearer ', '')
  person = newPerson({ CREWHALL_HOST: server.api.url, CREWHALL_TOKEN: token })
})

/** What only the world can know. */
const known: Readonly<Record<string, object>> = { 'boards.addBoardGuest': { email: outsiderEmail } }

const flagOf = (name: string): string => (name === 'board_id' ? '--board' : `--${name.replaceAll('_', '-')}`)

/** The words of `crewhall call` for the example of a route. */
async function wordsFor(route: AnyRoute): Promise<string[]> {
  const isGiven = (name: string) => {
    const [place, field = ''] = name.split('.')
    return field in ((place === 'body' ? route.example?.body : route.example?.query) ?? {})
  }
  const own = Object.fromEntries(
    Object.keys(route.resources ?? {})
      .filter((name) => !name.includes('.') || isGiven(name))
      .map((name) => [name, 'own' as const]),
  )
  const fresh = isRead(route) ? {} : await freshValues(admin, world, route, caller)
  const example = { ...route.example, body: { ...route.example?.body, ...known[route.id] } }
  const { path, init } = callOf(route, world, own, {}, fresh, example)
  const url = new URL(path, 'http://x')
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const form = new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '([^/:]+)')}$`)
  const values = form.exec(url.pathname)?.slice(1) ?? []
  const words = names.flatMap((name, index) =>
    name === 'brand_id' ? [] : [flagOf(name), decodeURIComponent(values[index] ?? '')],
  )
  for (const [name, value] of url.searchParams)
    if (!['page', 'per_page', 'limit', 'cursor'].includes(name))
      words.push(`--${name.replaceAll('_', '-')}`, value)
  if (route.upload) {
    const file = join(person.home, `upload-${route.id}`)
    writeFileSync(file, route.upload.sample?.text ?? 'x')
    words.push('--file', file)
  } else if (typeof init.body === 'string') {
    const file = join(person.home, `body-${route.id}.json`)
    writeFileSync(file, init.body)
    words.push('--body-json', file)
  }
  if (route.method === 'DELETE') words.push('--yes')
  return words
}

test('VER-06 the command line has the 87 methods of boards 1.27.0 from version 0.13.0 on', {
  timeout: 240_000,
}, async () => {
  const version = (await person.run(['--version'])).out.trim()
  const [major = 0, minor = 0] = version.split('.').map(Number)
  expect(major > 0 || minor >= 13).toBe(true)

  const methods = methodsOf('boards', '1.27.0')
  expect(methods.length).toBe(87)
  const listed = (await person.run(['call', '--jq', '.methods[].name'])).out.trim().split('\n')
  expect(listed).toEqual(expect.arrayContaining(methods.map(({ route }) => route)))

  const byId = new Map(
    Object.values(routes)
      .flatMap((all) => Object.values(all) as AnyRoute[])
      .map((each) => [each.id, each]),
  )
  const refused: [string, string[], Ended][] = []
  const call = async (route: AnyRoute) => {
    const words = await wordsFor(route)
    const ended = await person.run(['call', route.id, ...words, '-o', 'json'])
    if (ended.code !== 0 || ended.out === '') refused.push([route.id, words, ended])
  }
  const [reads, writes] = [[], []] as [AnyRoute[], AnyRoute[]]
  for (const { route: id } of methods) {
    const route = byId.get(id)
    if (!route) throw new Error(`there is no route ${id}`)
    ;(isRead(route) ? reads : writes).push(route)
  }
  // Reads use nothing up. What a write uses is made right before it, and may replace what was made for another.
  const rest = reads.values()
  const lane = async () => {
    for (const route of rest) await call(route)
  }
  await Promise.all([lane(), lane(), lane()])
  for (const route of writes) await call(route)
  expect(refused).toEqual([])
})
