import { exportBoard } from '@crewhall/contracts/boards/export.ts'
import { FileAnswer, type FileFacts } from '#platform/http/file-answer.ts'
import { handle } from '#platform/http/handle.ts'
import { SpooledFile } from '#platform/http/spooled-file.ts'
import { writeExport } from './export.service.ts'
import { writeFile } from './file.service.ts'

const types = { csv: 'text/csv; charset=utf-8', jsonl: 'application/x-ndjson' } as const

export const exportRoutes = [
  handle(exportBoard, async (ctx, { params: { board_id }, query: { format = 'md', ...query } }) => {
    if (format === 'md') {
      const file = await SpooledFile.write((sink) => writeExport(ctx, board_id, query, sink))
      return answerOf(file, { content_type: 'text/markdown; charset=utf-8', disposition: 'inline' })
    }
    let key = ''
    const file = await SpooledFile.write(async (sink) => {
      key = await writeFile(ctx, board_id, { format, columns: query.columns }, sink)
    })
    return answerOf(file, { content_type: types[format], disposition: { attachment: `${key}.${format}` } })
  }),
]

const answerOf = (file: SpooledFile, facts: Pick<FileFacts, 'content_type' | 'disposition'>) =>
  new FileAnswer({
    ...facts,
    digest: file.digest,
    keep: 'revalidate',
    load: async () => file.load(),
    size: file.bytes,
    discard: () => file.discard(),
  })
