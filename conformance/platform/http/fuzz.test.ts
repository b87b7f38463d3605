import type { AnyRoute } from '@crewhall/contracts/route.ts'
import { allRoutes } from '@crewhall/contracts/routes.ts'
import { corpusCases, type FuzzCase, fuzzCases } from '@crewhall/testkit/fuzz/fuzz.ts'
import { fuzzAgent, sendCase, targetOf } from '@crewhall/testkit/fuzz/fuzz-send.ts'
import { verdict } from '@crewhall/testkit/fuzz/fuzz-verdict.ts'
import { isFull, scaled } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { probeRoutes } from '../../../apps/server/test/probe/probe.contract.ts'

// Left out: `bug` fails by design; `slow` holds a connection as long as it is told, so a valid call is one
// that outlasts the deadline; `sendMail` hands free text to a mail server, which refuses most of it;
// `addMark` documents neither its 409 nor what a key sent twice is answered with.
const left: readonly AnyRoute[] = [
  probeRoutes.probe.bug,
  probeRoutes.probe.slow,
  probeRoutes.probe.sendMail,
  probeRoutes.probe.addMark,
]
// Naive twins are wrong on purpose, each in its own way.
const isTwin = ({ id }: AnyRoute) => /naive/i.test(id)
const routes = [...allRoutes, ...Object.values(probeRoutes.probe)].filter(
  (route) => !left.includes(route) && !isTwin(route),
)
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)
const numRuns = Number(process.env.FUZZ_CASES ?? scaled(500, 25))
const inFlight = 16
/** The whole corpus is 80,000 requests, minutes of both cores: the gate sends a part, another one each time. */
const parts = isFull ? 1 : 3
const asked = isFull ? 'every value' : 'a third'

const server = useServer('probe')
const agent = fuzzAgent(inFlight)
afterAll(() => agent.destroy())

const judge = async (route: AnyRoute, each: FuzzCase) =>
  verdict(route, each, await sendCase(agent, server.api.url, route, each))

/** The wrong ones among the cases, several asked at a time. */
async function wrongOf(route: AnyRoute, cases: readonly FuzzCase[]): Promise<string[]> {
  const wrong: string[] = []
  const queue = cases.entries()
  const ask = async () => {
    for (const [at, each] of queue) {
      const fault = await judge(route, each)
      if (fault) wrong.push(`case ${at}: ${fault}\n${shown(route, each)}`)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, ask))
  return wrong
}

const shown = (route: AnyRoute, each: FuzzCase) =>
  `  ${each.kind}: ${route.method} ${targetOf(route, each)} ${each.content_type ?? ''} ${String(each.body ?? '').slice(0, 300)}`

/** Asks again one at a time, so that fast-check can look for the smallest case that fails. */
const smallest = async (route: AnyRoute) => {
  const property = fc.asyncProperty(fuzzCases(route), async (each) => {
    const fault = await judge(route, each)
    if (fault) throw new Error(`${fault}\n${shown(route, each)}`)
  })
  const details = await fc.check(property, { seed, numRuns })
  return details.failed ? String(details.errorInstance) : 'Asked one at a time, none of them fails.'
}

// A route with 67 fields has thousands of cases.
describe.each(routes.map((route) => ({ id: route.id, route })))('$id', ({ route }) => {
  test(`answers ${asked} of the hostile corpus in every place as its contract says`, async () => {
    const cases = corpusCases(route)
    expect(cases.length).toBeGreaterThan(40)
    const now = cases.filter((_, at) => (at + seed) % parts === 0)
    expect((await wrongOf(route, now)).slice(0, 10)).toEqual([])
  })

  test('answers generated valid and invalid requests as its contract says', async () => {
    const wrong = await wrongOf(route, fc.sample(fuzzCases(route), { seed, numRuns }))
    if (wrong.length === 0) return
    const replay = `FUZZ_SEED=${seed} FUZZ_CASES=${numRuns} npx vitest run conformance/platform/http/fuzz.test.ts -t '${route.id}'`
    expect.fail(
      `${wrong.length} of ${numRuns} answers are wrong. The smallest: ${await smallest(route)}\n` +
        `All: ${wrong.slice(0, 5).join('\n')}\nReplay: ${replay}`,
    )
  })
})

test('the fuzzer sees a route that fails', async () => {
  const { bug } = probeRoutes.probe
  const wrong = await wrongOf(bug, fc.sample(fuzzCases(bug), { seed, numRuns: 20 }))
  expect(wrong.length).toBeGreaterThan(10)
  expect(wrong[0]).toContain('answered 500')
})
