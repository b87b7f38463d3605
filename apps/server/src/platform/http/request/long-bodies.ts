import type { FastifyRequest } from 'fastify'
import { Bound } from '#platform/bulkheads/bound.ts'
import { bulkheads } from '#platform/bulkheads/bulkheads.ts'
import { hasBody } from '#platform/http/request/json-body.ts'
import { Outage } from '#platform/outage/outage.ts'

const places = new Bound(bulkheads.long_bodies)

/**
 * Does what reads a body, with the limit that it has. One that is longer than usual, or does not say how long it is, holds a
 * place until it is done with: so much memory, and no more, is for people who have not said who they are, and no network of
 * theirs takes all of it.
 */
export async function withBodyLimit<T>(
  { max_body_bytes = 0 }: { readonly max_body_bytes?: number },
  request: FastifyRequest,
  usual: number,
  work: (limitBytes: number) => Promise<T>,
): Promise<T> {
  const length = Number(request.headers['content-length'])
  if (max_body_bytes <= usual || !hasBody(request) || length <= usual) return work(usual)
  if (length > max_body_bytes) return work(max_body_bytes)
  const { network } = request.held
  if (!places.admits(network)) throw new Outage('service', 'overloaded')
  places.take(network)
  try {
    return await work(max_body_bytes)
  } finally {
    places.leave(network)
  }
}
