import { exportBoard } from '@crewhall/contracts/boards/export.ts'
import { FileAnswer } from '#platform/http/file-answer.ts'
import { handle } from '#platform/http/handle.ts'
import { SpooledFile } from '#platform/http/spooled-file.ts'
import { writeExport } from './export.service.ts'

export const exportRoutes = [
  handle(exportBoard, async (ctx, { params, query }) => {
    const file = await SpooledFile.write((sink) => writeExport(ctx, params.board_id, query, sink))
    return new FileAnswer({
      content_type: 'text/markdown; charset=utf-8',
      digest: file.digest,
      keep: 'revalidate',
      disposition: 'inline',
      load: async () => file.load(),
      size: file.bytes,
      discard: () => file.discard(),
    })
  }),
]
