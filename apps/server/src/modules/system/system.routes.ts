import { getHealth, getInfo, type Info } from '@crewhall/contracts/system/system.ts'
import { Answer } from '#platform/http/answer.ts'
import { handle } from '#platform/http/handle.ts'
import type { HealthCheck } from './system.service.ts'

interface Services {
  readonly checkHealth: HealthCheck
  readonly info: Info
}

export const systemRoutes = ({ checkHealth, info }: Services) => [
  handle(getHealth, async (ctx) => {
    const health = await checkHealth(ctx)
    return health.status === 'healthy' ? health : new Answer(503, health)
  }),
  handle(getInfo, () => info),
]
