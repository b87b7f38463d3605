import * as contract from '@crewhall/contracts/code-index/repository.ts'
import { handle, handleInPhases } from '#platform/http/handle.ts'
import * as service from './repositories.service.ts'

export const repositoryRoutes = (deps: service.RepositoryDeps) => [
  handleInPhases(contract.attachRepository, {
    before: (ctx, { params, body }) => service.judgeAddress(ctx, deps, params.project_id, body),
    run: (ctx, { params, body }) => service.attachRepository(ctx, deps, params.project_id, body),
  }),
  handle(contract.detachRepository, async (ctx, { params }) => {
    await service.detachRepository(ctx, params.project_id)
    return undefined
  }),
]
