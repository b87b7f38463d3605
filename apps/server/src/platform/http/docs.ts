import { createHash } from 'node:crypto'
import { introduction } from '@crewhall/contracts/introduction.ts'
import { openApiDocument } from '@crewhall/contracts/openapi.ts'
import type { AnyRoute } from '@crewhall/contracts/route.ts'
import Fastify, { type FastifyInstance } from 'fastify'

type InjectedResponse = Awaited<ReturnType<FastifyInstance['inject']>>

export const docsPath = '/api/v1/docs/'
const documentPath = '/api/v1/openapi.json'
const scriptPath = '/api/v1/docs/js/scalar.js'

export const documentInfo = (version: string) => ({
  title: 'Crewhall',
  version,
  description: introduction,
})

/**
 * Interactive documentation and its OpenAPI document, both built on first use: together they took a third of the startup
 * time of a process. Returns the paths it mounted.
 */
export function registerDocs(app: FastifyInstance, routes: readonly AnyRoute[], version: string) {
  let document: string | undefined
  app.get(documentPath, (_, reply) => {
    document ??= JSON.stringify(openApiDocument(routes, documentInfo(version)))
    return reply.type('application/json; charset=utf-8').send(document)
  })
  const made = new Map<string, Promise<InjectedResponse>>()
  const pageOf = (path: string) => {
    const page = made.get(path) ?? createReference().then((reference) => reference.inject(path))
    made.set(path, page)
    return page
  }
  for (const path of [docsPath.slice(0, -1), docsPath, scriptPath]) {
    app.get(path, async (_, reply) => {
      const { statusCode, headers, rawPayload } = await pageOf(path)
      if (path === docsPath) reply.header('content-security-policy', policyOf(String(rawPayload)))
      if (path === scriptPath) reply.header('cache-control', 'public, max-age=86400')
      if (headers.location !== undefined) reply.header('location', headers.location)
      if (headers['content-type'] !== undefined) reply.type(String(headers['content-type']))
      return reply.code(statusCode).send(rawPayload)
    })
  }
  return [documentPath, docsPath, scriptPath].map((path) => ({ method: 'GET', path }))
}

/** The library is a plugin, and an app takes no more plugins once it listens: so it gets one of its own. */
async function createReference(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const reference = Fastify()
  await reference.register(scalar, {
    routePrefix: '/api/v1/docs',
    configuration: {
      url: documentPath,
      pageTitle: 'Crewhall API',
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      hideClientButton: true,
      showDeveloperTools: 'never',
    },
  })
  return reference
}

/** The page asks nothing of other hosts and runs no script but its own. */
function policyOf(page: string): string {
  const inline = [...page.matchAll(/<script[^>]*>([^<]*)<\/script>/g)]
    .filter(([, script]) => script)
    .map(([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`)
  return [
    `default-src 'self'`,
    `script-src 'self' ${inline.join(' ')}`,
    `style-src 'self' 'unsafe-inline'`,
    `img-src 'self' data: blob:`,
    `font-src 'self' data:`,
    `frame-ancestors 'none'`,
  ].join('; ')
}
