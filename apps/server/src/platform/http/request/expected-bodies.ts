import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Requests whose body comes only when it is asked for: `Expect: 100-continue`. */
const waiting = new WeakSet<IncomingMessage>()

/** Node would send 100 Continue immediately. Here the reader of the body sends it, after authentication. */
export function registerExpectedBodies(app: FastifyInstance): void {
  app.server.on('checkContinue', (request, response) => {
    waiting.add(request)
    app.server.emit('request', request, response)
  })
}

export function inviteBody({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (waiting.delete(raw)) reply.raw.writeContinue()
}
