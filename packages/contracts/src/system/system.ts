import { z } from 'zod'
import { anyone, route } from '../route.ts'
import { Timestamp } from '../wire.ts'

// SYS-G1: says only that a dependency is lost, no details.
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
  summary: 'Check the health of the service',
  description:
    'For load balancers and monitoring; never rate limited. 200 with `healthy` means that requests can be served. 503 with `degraded` names the dependency that cannot be reached: database or cache.',
  auth: anyone(),
  unlimited: true,
  // SYS-03: only here, a 503 is the health object and not a `detail`.
  responses: { 200: Health, 503: Health },
})

export const getInfo = route({
  id: 'system.getInfo',
  method: 'GET',
  path: '/api/v1/system/info',
  summary: 'Get the version of the service and its documentation URL',
  description: 'Include the version when you report a problem.',
  auth: anyone(),
  responses: { 200: Info },
})
