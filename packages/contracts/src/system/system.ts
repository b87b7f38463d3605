import { z } from 'zod'
import { anyone, route } from '../route.ts'
import { Timestamp } from '../wire.ts'

// SYS-G1: no word about a lost service beyond that it is lost.
const ServiceState = z.enum(['connected', 'disconnected'])

const services = z.object({ database: ServiceState, redis: ServiceState })

export const Health = z
  .object({ status: z.enum(['healthy', 'degraded']), timestamp: Timestamp, services })
  .meta({ id: 'Health' })
export type Health = z.infer<typeof Health>

export const Info = z
  .object({
    name: z.string(),
    version: z.string().regex(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/),
    environment: z.enum(['production', 'staging', 'development']),
    docs_url: z.string().regex(/^\/api\/v1\//),
  })
  .meta({ id: 'Info' })
export type Info = z.infer<typeof Info>

export const getHealth = route({
  id: 'system.getHealth',
  method: 'GET',
  path: '/api/v1/system/health',
  summary: 'Whether the database and the cache can be reached',
  description:
    'For load balancers and monitors; never rate limited. 200 with `healthy` means that requests can be served; 503 with `degraded` names the part that cannot be reached.',
  auth: anyone(),
  unlimited: true,
  // SYS-03: the 503 of this one route is the health object, not a `detail`.
  responses: { 200: Health, 503: Health },
})

export const getInfo = route({
  id: 'system.getInfo',
  method: 'GET',
  path: '/api/v1/system/info',
  summary: 'Which service this is, in which version, and where its documentation stands',
  description: 'Use it to find out which version you are talking to before you report a problem.',
  auth: anyone(),
  responses: { 200: Info },
})
