import { routes } from '@crewhall/contracts/routes.ts'
import { McpCaller } from '@crewhall/testkit/mcp/mcp-caller.ts'
import { callRoute } from '@crewhall/testkit/mcp/route-tools.ts'
import { scaled } from '@crewhall/testkit/rounds.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { allScopes, ToolWorkspace } from './tool-world.ts'

// Two processes on one database. What is taken away through one of them has been used through the other one just before.

const server = useSharedServer('product')
let second: ServerProcess
beforeAll(async () => {
  second = await server.start('api')
})
const urlOf = (n: number) => (n % 2 === 0 ? server.api.url : second.url)
const at = (n: number, token: string, path = '/mcp') =>
  new McpCaller((place, init) => fetch(`${urlOf(n)}${place}`, init), { token }, { path })

const tokens = scaled(200, 40)

test(`a token that was revoked is refused on the next call of a tool, ${tokens} times of ${tokens}`, async () => {
  const work = await ToolWorkspace.open(server)
  const { brand_id } = work.member
  const headers = { cookie: await work.world.newCookie(work.member.person_id, brand_id) }
  const issued = await work.world.newTokens(work.member, allScopes, tokens)
  const seen: Record<string, number> = {}
  for (const [n, { id, token }] of issued.entries()) {
    for (const side of [0, 1])
      expect((await callRoute(at(side, token), routes.boards.listBoards)).verdict).toBe(200)
    const path = `${urlOf(n)}/api/v1/brands/${brand_id}/tokens/${id}`
    expect((await fetch(path, { method: 'DELETE', headers })).status).toBe(200)
    const { status } = await callRoute(at(n + 1, token), routes.boards.listBoards)
    seen[status] = (seen[status] ?? 0) + 1
  }
  expect(seen).toEqual({ 401: tokens })
})
