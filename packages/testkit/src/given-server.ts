import { afterAll, beforeAll } from 'vitest'
import { type GivenAddress, needsOwnServer } from './given-address.ts'
import type { ServerProcess } from './server-process.ts'
import type { Template } from './templates.ts'
import type { TestServer } from './test-server.ts'
import { accessTo } from './world/database-access.ts'

/**
 * The given installation in the place of a server for one test file. A test that asks for more than its address and its
 * tables, such as a process to kill, a setting or a clock, fails with the mark above, and so does a whole file that needs it.
 */
export function useGivenServer(
  { url, database_url }: GivenAddress,
  template: Template,
  env: Readonly<Record<string, string>> = {},
): TestServer {
  const settings = Object.keys(env)
  if (template !== 'product') beforeAll(() => needsOwnServer('routes of the probe'))
  else if (settings.length > 0) beforeAll(() => needsOwnServer(`settings (${settings.join(', ')})`))
  const access = accessTo(() => {
    const found = database_url ?? needsOwnServer('its database')
    return { name: '', url: found, owner_url: '', drop: () => needsOwnServer('its database') }
  })
  afterAll(() => access.close())
  return {
    get database() {
      return needsOwnServer('its database')
    },
    api: processAt(url),
    sql: access.sql,
    connection: async () => needsOwnServer('a connection to its database'),
    get: (path, init) => fetch(`${url}${path}`, init),
    start: async () => needsOwnServer('another process'),
  }
}

const processAt = (url: string): ServerProcess => ({
  url,
  get pid() {
    return needsOwnServer('its process')
  },
  get child() {
    return needsOwnServer('its process')
  },
  get lines() {
    return needsOwnServer('its log')
  },
  get ended() {
    return needsOwnServer('its process')
  },
  logs: () => needsOwnServer('its log'),
  stop: async () => needsOwnServer('its process'),
  kill: async () => needsOwnServer('its process'),
})
