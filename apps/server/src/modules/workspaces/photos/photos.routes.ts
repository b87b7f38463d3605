import * as contract from '@crewhall/contracts/workspaces/photos.ts'
import { FileAnswer } from '#platform/http/file-answer.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './photos.service.ts'

export const photoRoutes = (deps: service.PhotoDeps) => [
  handle(contract.getPhoto, async (ctx, { params, query }) => {
    const photo = await service.getPhoto(ctx, deps, params.user_id)
    const keep = query.v === photo.version ? 'versioned' : 'revalidate'
    return new FileAnswer({ ...photo, keep, disposition: 'inline' })
  }),
  handle(contract.changePhoto, async (ctx, { params, file }) => ({
    photo: await service.changePhoto(ctx, deps, { person_id: params.user_id, bytes: file.bytes }),
  })),
  handle(contract.removePhoto, async (ctx, { params }) => {
    await service.removePhoto(ctx, params.user_id)
    return { photo: null }
  }),
]
