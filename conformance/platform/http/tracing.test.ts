import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { afterAll, expect, test } from 'vitest'

interface Span {
  readonly name: string
  readonly traceId: string
  readonly parentSpanId?: string
  readonly kind: number
  readonly attributes: readonly { key: string; value: Record<string, unknown> }[]
}
interface Export {
  readonly resourceSpans: readonly { scopeSpans: readonly { spans: readonly Span[] }[] }[]
}

/** Receives what an OpenTelemetry collector would. */
const spans: Span[] = []
const collector = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString('utf8')
  if (request.url === '/v1/traces') {
    const { resourceSpans } = JSON.parse(body) as Export
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)))
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
}).listen(0, '127.0.0.1')
await once(collector, 'listening')
const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
afterAll(() => collector.close())

const server = useSharedServer('probe')

test('a request becomes a span named by its contract, under the span of the caller', async () => {
  const api = await server.start('api', { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  await fetch(`${api.url}/api/v1/probe/rows/1?secret=hunter2`, { headers: { traceparent } })
  await fetch(`${api.url}/api/v1/system/info`)
  // Spans leave in batches; the last ones when the process ends.
  await api.stop()

  expect(spans.map(({ name }) => name).sort()).toEqual(['probe.readRow', 'system.getInfo'])
  const child = spans.find(({ name }) => name === 'probe.readRow')
  const alone = spans.find(({ name }) => name === 'system.getInfo')
  expect(child).toMatchObject({
    traceId: '0af7651916cd43dd8448eb211c80319c',
    parentSpanId: 'b7ad6b7169203331',
    kind: 2,
  })
  expect(child?.attributes).toContainEqual({
    key: 'http.response.status_code',
    value: { intValue: 200 },
  })
  expect(alone?.traceId).not.toBe(child?.traceId)
  expect(alone?.parentSpanId ?? '').toBe('')
  expect(JSON.stringify(spans)).not.toContain('hunter2')
})
