import { runConformanceSuite, type SuiteResult } from '@crewhall/testkit/mcp/conformance-suite.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { beforeAll, expect, test } from 'vitest'

const server = useSharedServer('product')
const at = new World(server)
let found: SuiteResult
beforeAll(async () => {
  const token = await at.newToken(await at.join(await at.newBrand(), 'member'))
  found = await runConformanceSuite(server.api.url, '/mcp', token)
})

/** What every server with tools has to keep. */
const required = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection']

/** They ask for streams that can be resumed, which a server without sessions may leave out: nothing in them fails. */
const optional = ['server-sse-polling', 'server-sse-multiple-streams']

/**
 * They call tools, prompts and resources that the suite wants a test server to have, or use a capability that is not
 * declared here: no prompts, resources, completion or logging, and nothing that a server asks a client of the older era.
 */
const withFixtures = [
  'completion-complete',
  'elicitation-sep1034-defaults',
  'elicitation-sep1330-enums',
  'json-schema-2020-12',
  'logging-set-level',
  'prompts-get-embedded-resource',
  'prompts-get-simple',
  'prompts-get-with-args',
  'prompts-get-with-image',
  'prompts-list',
  'resources-list',
  'resources-read-binary',
  'resources-read-text',
  'resources-subscribe',
  'resources-templates-read',
  'resources-unsubscribe',
  'tools-call-audio',
  'tools-call-elicitation',
  'tools-call-embedded-resource',
  'tools-call-error',
  'tools-call-image',
  'tools-call-mixed-content',
  'tools-call-sampling',
  'tools-call-simple-text',
  'tools-call-with-logging',
  'tools-call-with-progress',
]

const failuresIn = (name: string) => found[name]?.filter(({ status }) => status === 'FAILURE')

test('the suite of 2025-11-25 has no scenario that is neither run nor left out for a stated reason', () => {
  expect(Object.keys(found).sort()).toEqual([...required, ...optional, ...withFixtures].sort())
})

test.each(required)('the scenario %s passes', (name) => {
  expect(failuresIn(name)).toEqual([])
  expect(found[name]?.filter(({ status }) => status === 'SUCCESS')).not.toEqual([])
})

test.each(optional)('the scenario %s finds nothing wrong', (name) => {
  expect(failuresIn(name)).toEqual([])
})

test('a server without prompts, resources, completion and logging says that it knows no such method', () => {
  const methods = withFixtures.filter((name) => /^(completion|logging|prompts|resources)-/.test(name))
  for (const name of methods)
    expect([name, failuresIn(name)?.map(({ errorMessage }) => errorMessage)]).toEqual([
      name,
      [expect.stringContaining('-32601')],
    ])
})
