import { createHash } from 'node:crypto'
import { introduction } from '@crewhall/contracts/introduction.ts'
import { openApiDocument } from '@crewhall/contracts/openapi.ts'
import type { AnyRoute } from '@crewhall/contracts/route.ts'
import type { FastifyInstance } from 'fastify'

export const docsPath = '/api/v1/docs/'
const documentPath = '/api/v1/openapi.json'
const scriptPath = '/api/v1/docs/js/scalar.js'

export const documentInfo = (version: string) => ({
  title: 'Crewhall',
  version,
  description: introduction,
})

/** Interactive documentation and the document it reads. Returns the paths it mounted. */
export async function registerDocs(app: FastifyInstance, routes: readonly AnyRoute[], version: string) {
  const document = JSON.stringify(openApiDocument(routes, documentInfo(version)))
  app.get(documentPath, (_, reply) => reply.type('application/json; charset=utf-8').send(document))
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  await app.register(async (docs) => {
    docs.addHook('onSend', (request, reply, payload, done) => {
      const [path] = request.url.split('?', 1)
      if (path === docsPath) reply.header('content-security-policy', policyOf(String(payload)))
      if (path === scriptPath) reply.header('cache-control', 'public, max-age=86400')
      done(null, payload)
    })
    await docs.register(scalar, {
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
  })
  return [documentPath, docsPath, scriptPath].map((path) => ({ method: 'GET', path }))
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
