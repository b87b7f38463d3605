import { getHealth, getInfo } from '@crewhall/contracts/system/system.ts'
import { Answer } from '#platform/http/answer.ts'
import { handle } from '#platform/http/handle.ts'
import { type createHealthCheck, getServiceInfo, type ServiceFacts } from './system.service.ts'

interface Services {
  readonly checkHealth: ReturnType<typeof createHealthCheck>
  readonly facts: ServiceFacts
}

export const systemRoutes = ({ checkHealth, facts }: Services) => [
  handle(getHealth, async (ctx) => {
    const health = await checkHealth(ctx)
    return health.status === 'healthy' ? health : new Answer(503, health)
  }),
  handle(getInfo, () => getServiceInfo(facts)),
]
