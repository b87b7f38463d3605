import type { FastifyInstance } from 'fastify'

/** Long enough for a body of the largest size on a fair line, so that its sender gets to read the answer. */
const lingerMs = 5000

/**
 * A request may be answered before its body has come. What comes is thrown away, so that the line can be used
 * again and the answer is not lost in a reset; a body that does not end closes the line.
 */
export function registerUnreadBodies(app: FastifyInstance): void {
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    if (!raw.complete && !raw.destroyed) {
      const timer = setTimeout(() => raw.socket.destroy(), lingerMs).unref()
      raw.once('end', () => clearTimeout(timer))
      raw.once('close', () => clearTimeout(timer))
      raw.resume()
    }
    done()
  })
}
