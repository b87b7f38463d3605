import { exportBoard } from '@crewhall/contracts/boards/export.ts'
import { FileAnswer } from '#platform/http/file-answer.ts'
import { handle } from '#platform/http/handle.ts'
import { renderExport } from './export.service.ts'

export const exportRoutes = [
  handle(exportBoard, async (ctx, { params, query }) => {
    const { bytes, digest } = await renderExport(ctx, params.board_id, query)
    return new FileAnswer({
      content_type: 'text/markdown; charset=utf-8',
      digest,
      keep: 'revalidate',
      disposition: 'inline',
      load: async () => bytes,
    })
  }),
]
