import { previewBuild } from '@crewhall/contracts/profiles/build-settings.ts'
import * as contract from '@crewhall/contracts/profiles/coder-profiles.ts'
import { changeCoder, listCoders } from '@crewhall/contracts/profiles/coders.ts'
import { Answer } from '#platform/http/answer.ts'
import { handle } from '#platform/http/handle.ts'
import { settingsOfBuild } from './builds.service.ts'
import * as codersService from './coders.service.ts'
import * as service from './profiles.service.ts'

export const profileRoutes = [
  handle(contract.listProfiles, (ctx, { query }) => service.listProfiles(ctx, query), { reuses: true }),
  handle(contract.getProfile, (ctx, { params }) => service.getProfile(ctx, params.key)),
  handle(contract.listProfileChanges, async (ctx, { params, query }) => {
    const { changes, next } = await service.listHistory(ctx, params.key, query)
    if (!next) return changes
    // The response is a bare list, so a header says that there is more.
    return new Answer(200, changes, {
      link: `<?before=${next.before}&limit=${next.limit}>; rel="next"`,
    })
  }),
  handle(contract.changeProfile, (ctx, { params, body }) => service.changeProfile(ctx, params.key, body)),
  handle(contract.resetProfileSetting, (ctx, { params }) =>
    service.resetSetting(ctx, params.key, params.field),
  ),
  handle(listCoders, (ctx) => codersService.listCoders(ctx)),
  handle(changeCoder, (ctx, { params, body }) =>
    codersService.changeAvailability(ctx, params.coder, body.available),
  ),
  handle(previewBuild, (ctx, { body }) =>
    settingsOfBuild(ctx, { profile: body.agent_context.profile, desk: body.desk }),
  ),
]
