import * as columns from '@crewhall/contracts/boards/columns.ts'
import * as guests from '@crewhall/contracts/boards/guests.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import { useMutation } from '@tanstack/react-query'
import { apiOf } from '../../api/api.ts'
import { queries } from '../../app/queries.ts'
import { sayFailed } from '../../ui/toast.tsx'

export const boardPartsApi = apiOf({ boards: routesIn(columns, guests) })

/** What is shown of the board is read again. */
export const readBoardAgain = (board_id: string): Promise<unknown> =>
  Promise.all([
    queries.invalidateQueries({ queryKey: ['board', board_id] }),
    queries.invalidateQueries({ queryKey: ['boards'] }),
  ])

/** Something that a person does to a board. */
export function useBoardAction<Input>(
  board_id: string,
  { what, run }: { readonly what: string; readonly run: (input: Input) => Promise<unknown> },
) {
  return useMutation({
    mutationFn: run,
    onError: (error) => sayFailed(what, error),
    onSettled: () => readBoardAgain(board_id),
  })
}
