import type { Board } from '@crewhall/contracts/boards/boards.ts'
import { GuestsDialog as Guests, type GuestsOf } from '../../work/guests-dialog.tsx'
import type { BoardDialogProps } from './board-menu.tsx'
import { boardPartsApi as api } from './board-writes.ts'

const guestsOf = ({ id: board_id, name }: Board): GuestsOf => ({
  key: ['board', board_id, 'guests'],
  name,
  rights: {
    viewer: 'Reads',
    commenter: 'Reads and comments',
    editor: 'Reads, comments and writes cards',
  },
  list: async (after, signal) =>
    (
      await api.reading(signal).boards.listBoardGuests({
        params: { board_id },
        query: { limit: '100', ...(after === undefined ? {} : { after: String(after) }) },
      })
    ).body,
  add: (action, body) => api.acting(action).boards.addBoardGuest({ params: { board_id }, body }),
  change: (action, user_id, role) =>
    api
      .acting(action)
      .boards.changeBoardGuest({ params: { board_id, user_id: String(user_id) }, body: { role } }),
  remove: (action, user_id) =>
    api.acting(action).boards.removeBoardGuest({ params: { board_id, user_id: String(user_id) } }),
})

export function GuestsDialog({ board, onClose }: BoardDialogProps) {
  return <Guests of={guestsOf(board)} open onOpenChange={(isOpen) => !isOpen && onClose()} />
}
