import { randomUUID } from 'node:crypto'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { expect, test } from 'vitest'
import { everything, placesOf } from '../platform/erasure/everything.ts'
import { DeskWorkspace, digestOf, type Ordered } from './desk-workspace.ts'

const server = useServer('product', { LOG_LEVEL: 'debug' })

test('DESK-11, DESK-27: a token is in no table, no object, no key of Redis and no line of a log', async () => {
  const at = await DeskWorkspace.open(server)
  const keyed = () => ({ 'idempotency-key': randomUUID() })
  const by = { cookie: at.cookie }
  const given = { name: 'findable-desk' }
  const first = await at.world.made<Ordered>(by, 'POST', '/api/v1/workstations', given, keyed())
  const path = `/api/v1/workstations/${first.workstation_id}/regenerate-pat`
  const second = await at.world.made<Ordered>(by, 'POST', path, undefined, keyed())
  // Told by somebody else, as scripts and proxies do: in a URL that nothing here serves, and as a credential.
  await server.get(`/install/sidecar?pat=${second.pat}&env_id=${first.workstation_id}`)
  await at.call('GET', '/workstations', undefined, { token: second.pat })

  const kept = await everything(server.database, await server.connection('superuser'))
  expect(placesOf(kept, 'findable-desk')).not.toEqual([])
  expect(placesOf(kept, digestOf(second.pat))).toEqual(['fleet.join_secrets'])
  expect(placesOf(kept, digestOf(first.pat))).toEqual([])
  // Lines are buffered for a moment; that of the last call comes last.
  const isLast = (line: string) => line.includes('"path":"/api/v1/workstations","') && line.includes('"GET"')
  await waitFor(() => server.api.lines.some(isLast), 10_000)
  const log = server.api.lines.join('\n')
  expect(log).toContain('regenerate-pat')
  for (const { pat } of [first, second]) {
    expect(placesOf(kept, pat.slice('dsk_'.length))).toEqual([])
    expect(log).not.toContain(pat)
  }
})
