import { SourceBoardIds, type SourceConfig } from '@crewhall/contracts/conversations/sources.ts'

/** The boards that a source of tasks is limited to: undefined for all, null if the setting cannot be read. */
export function boardIdsOf({ board_ids }: SourceConfig): readonly string[] | undefined | null {
  const read = SourceBoardIds.safeParse(board_ids)
  return read.success ? read.data : null
}
