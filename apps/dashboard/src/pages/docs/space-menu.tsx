import * as spaceGuests from '@crewhall/contracts/docs-spaces/space-guests.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Ellipsis, Pencil, Trash2, UsersRound } from 'lucide-react'
import { useState } from 'react'
import { apiOf } from '../../api/api.ts'
import { newAction } from '../../api/own-fetch.ts'
import { queries } from '../../app/queries.ts'
import { useBrand } from '../../app/session.ts'
import { useCanWrite } from '../../live/live.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { say, sayFailed } from '../../ui/toast.tsx'
import { GuestsDialog, type GuestsOf, guestsQuery } from '../../work/guests-dialog.tsx'
import { docsApi, ownDocs, pagesQuery, type SpaceFacts, spaceQuery, spacesQuery } from './docs-data.ts'
import { NameForm } from './name-form.tsx'

const api = apiOf({ docs: routesIn(spaceGuests) })

const guestsOf = ({ id: space_id, name }: SpaceFacts): GuestsOf => ({
  key: ['docs', space_id, 'guests'],
  name,
  rights: { viewer: 'Reads', commenter: 'Reads', editor: 'Reads and writes pages' },
  list: async (after, signal) =>
    (
      await api.reading(signal).docs.listSpaceGuests({
        params: { space_id },
        query: { limit: '100', ...(after === undefined ? {} : { after: String(after) }) },
      })
    ).body,
  add: (action, body) => api.acting(action).docs.addSpaceGuest({ params: { space_id }, body }),
  change: (action, user_id, role) =>
    api
      .acting(action)
      .docs.changeSpaceGuest({ params: { space_id, user_id: String(user_id) }, body: { role } }),
  remove: (action, user_id) =>
    api.acting(action).docs.removeSpaceGuest({ params: { space_id, user_id: String(user_id) } }),
})

/** Rename for members; guests and deletion for admins, who alone may do that. */
export function SpaceMenu({ space }: { readonly space: SpaceFacts }) {
  const { isAdmin } = useBrand()
  const canWrite = useCanWrite()
  const [open, setOpen] = useState<'rename' | 'guests' | 'delete'>()
  const close = () => setOpen(undefined)
  const guests = guestsOf(space)
  return (
    <>
      {isAdmin && (
        <Button onClick={() => setOpen('guests')}>
          <UsersRound size={14} strokeWidth={1.75} aria-hidden />
          <span className="max-md:sr-only">Guests</span>
        </Button>
      )}
      <Menu
        align="end"
        trigger={
          <IconButton label="More">
            <Ellipsis size={16} aria-hidden />
          </IconButton>
        }
      >
        <MenuItem icon={Pencil} disabled={!canWrite} onSelect={() => setOpen('rename')}>
          Rename space
        </MenuItem>
        <MenuItem
          icon={Trash2}
          disabled={!canWrite || !isAdmin}
          {...(isAdmin ? {} : { note: 'Admins delete spaces' })}
          onSelect={() => setOpen('delete')}
        >
          Delete space
        </MenuItem>
      </Menu>
      <Dialog open={open === 'rename'} onOpenChange={close} title="Rename space">
        <RenameForm space={space} onDone={close} />
      </Dialog>
      {isAdmin && <GuestsDialog of={guests} open={open === 'guests'} onOpenChange={close} />}
      {open === 'delete' && <DeleteSpace space={space} guests={guests} onClose={close} />}
    </>
  )
}

function RenameForm({ space, onDone }: { readonly space: SpaceFacts; readonly onDone: () => void }) {
  const [action, setAction] = useState(newAction)
  return (
    <NameForm
      name={space.name}
      action="Rename"
      onCancel={onDone}
      send={async (name) => {
        setAction(newAction())
        return (
          await docsApi.acting(action).docs.renameSpace({ params: { space_id: space.id }, body: { name } })
        ).body
      }}
      onDone={() => {
        void queries.invalidateQueries({ queryKey: spaceQuery(ownDocs, space.id).queryKey })
        void queries.invalidateQueries({ queryKey: spacesQuery.queryKey })
        onDone()
      }}
    />
  )
}

interface DeleteSpaceProps {
  readonly space: SpaceFacts
  readonly guests: GuestsOf
  readonly onClose: () => void
}

function DeleteSpace({ space, guests, onClose }: DeleteSpaceProps) {
  const [action] = useState(newAction)
  const navigate = useNavigate()
  const pages = useQuery(pagesQuery(ownDocs, space.id)).data
  const shared = useQuery(guestsQuery(guests)).data
  const remove = useMutation({
    mutationFn: () => docsApi.acting(action).docs.deleteSpace({ params: { space_id: space.id } }),
    onSuccess: () => {
      void navigate({ to: ownDocs.hrefs.spaces, replace: true })
      void queries.invalidateQueries({ queryKey: spacesQuery.queryKey })
      say(`${space.name} is deleted`)
    },
    onError: (error) => sayFailed('The space was not deleted', error),
    onSettled: onClose,
  })
  return (
    <Confirm
      open
      onOpenChange={onClose}
      title={`Delete ${space.name}?`}
      consequences={[
        pages?.length === 1
          ? 'Its page is gone, for everybody.'
          : `Its ${pages?.length ?? ''} pages are gone, for everybody.`,
        ...(shared && shared.length > 0
          ? [`${shared.length === 1 ? 'Its guest' : `Its ${shared.length} guests`} can no longer open it.`]
          : []),
        'It cannot be brought back.',
      ]}
      action="Delete space"
      is_final
      busy={remove.isPending}
      onConfirm={() => remove.mutate()}
    />
  )
}
