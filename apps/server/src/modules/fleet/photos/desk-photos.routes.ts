import * as contract from '@crewhall/contracts/fleet/desk-photos.ts'
import { FileAnswer } from '#platform/http/file-answer.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './desk-photos.service.ts'

export const deskPhotoRoutes = (deps: service.DeskPhotoDeps) => [
  handle(contract.getDeskPhoto, async (ctx, { params }) => {
    const photo = await service.getPhoto(ctx, deps, params.workstation_id)
    return new FileAnswer({
      ...photo,
      content_type: 'image/jpeg',
      keep: 'revalidate',
      disposition: 'inline',
    })
  }),
  handle(contract.changeDeskPhoto, async (ctx, { params: { workstation_id }, file }) => ({
    env_id: workstation_id,
    image_url: await service.changePhoto(ctx, deps, workstation_id, file.bytes),
  })),
  handle(contract.removeDeskPhoto, async (ctx, { params: { workstation_id } }) => {
    await service.removePhoto(ctx, workstation_id)
    return { env_id: workstation_id, image_url: null }
  }),
]
