import type { View } from '@crewhall/contracts/boards/views.ts'
import * as views from '@crewhall/contracts/boards/views.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Bookmark, BookmarkPlus, Pencil, Pin, PinOff, Save, Share2, Trash2 } from 'lucide-react'
import { useEffect, useId, useMemo, useRef, useState } from 'react'
import { apiOf } from '../api/api.ts'
import { newAction } from '../api/own-fetch.ts'
import { boardsQuery } from '../app/boards.ts'
import { paths, toBoard } from '../app/paths.ts'
import { queries } from '../app/queries.ts'
import { useBrand, useMe } from '../app/session.ts'
import { useCanWrite } from '../live/live.tsx'
import { Button, buttonClass } from '../ui/button.tsx'
import { Confirm, Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { FormError } from '../ui/form-error.tsx'
import { Menu, MenuHeading, MenuItem, MenuLine } from '../ui/menu.tsx'
import { Switch } from '../ui/switch.tsx'
import { say, sayFailed } from '../ui/toast.tsx'
import { errorOf, useForm } from '../ui/use-form.ts'
import { type BoardName, type FoundFilters, type FoundQuery, queryOf } from './found-cards.ts'

const api = apiOf({ boards: routesIn(views) })

const viewsQuery = queryOptions({
  queryKey: ['views'],
  queryFn: async ({ signal }) =>
    (await api.reading(signal).boards.listViews({ query: { per_page: '100' } })).body.items,
})

/** What the address can say of a view, by the names of the API. */
const inAddress: Readonly<Record<string, keyof FoundFilters>> = {
  q: 'q',
  assignee: 'assignee',
  task_type: 'type',
  priority: 'priority',
  label: 'label',
  status: 'status',
  sort: 'sort',
}

function addressOf({ filters }: View, boards: readonly BoardName[]): FoundFilters {
  const ids = filters.board_ids?.split(',') ?? []
  const keys = ids.map((id) => boards.find((board) => board.id === id)?.key ?? id)
  const known = Object.entries(filters).flatMap(([name, value]) => {
    const own = inAddress[name]
    return own === undefined ? [] : [[own, value] as const]
  })
  return { ...Object.fromEntries(known), ...(keys.length > 0 && { board: keys.join(',') }) }
}

/** What a view asks for and the address cannot say; the list adds it to its query. */
const restOf = ({ filters }: View): FoundQuery =>
  Object.fromEntries(Object.entries(filters).filter(([name]) => !(name in inAddress) && name !== 'board_ids'))

/** The query of the address, and of the view that it names. */
export function useFoundQuery(filters: FoundFilters, boards: readonly BoardName[]): FoundQuery {
  const { saved } = useSearch({ strict: false })
  const view = useQuery({ ...viewsQuery, enabled: saved !== undefined }).data?.find(({ id }) => id === saved)
  const text = JSON.stringify(filters)
  return useMemo(
    () => ({ ...(view ? restOf(view) : {}), ...queryOf(JSON.parse(text), boards) }),
    [view, text, boards],
  )
}

interface ViewsMenuProps {
  /** `all`, or the id of the board. */
  readonly place: string
  /** What is shown now, by the names of the API. */
  readonly filters: FoundQuery
}

type Asking = 'new' | 'rename' | 'remove'

/** Views that the reader has saved, or others have shared: open one, or save what is shown. */
export function ViewsMenu({ place, filters }: ViewsMenuProps) {
  const { data: all = [] } = useQuery(viewsQuery)
  const { data: boards } = useQuery(boardsQuery)
  const { saved } = useSearch({ strict: false })
  const { isAdmin } = useBrand()
  const me = useMe().person.id
  const canWrite = useCanWrite()
  const [asking, setAsking] = useState<Asking>()
  const open = useOpenView(place, boards?.items ?? [])
  const change = useChangeView()
  const view = all.find(({ id }) => id === saved)
  const mayChange = view !== undefined && (view.user_id === me || isAdmin)
  const [standard, setStandard] = useDefaultView(place)
  useOpenDefault(
    place,
    all.find(({ id }) => id === standard),
    open,
  )
  const isSame = view !== undefined && sameFilters(view.filters, filters)
  return (
    <>
      <Menu
        align="end"
        trigger={
          <button type="button" className={buttonClass({ size: 's' })}>
            <Bookmark size={13} strokeWidth={1.75} aria-hidden />
            <span className="max-w-40 truncate">{view ? view.name : 'Views'}</span>
          </button>
        }
      >
        <MenuHeading>{all.length === 0 ? 'No views are saved yet' : 'Views'}</MenuHeading>
        {all.map((each) => (
          <MenuItem
            key={each.id}
            isChosen={each.id === saved}
            onSelect={() => open(each)}
            {...noteOf(each, me, each.id === standard)}
          >
            {each.name}
          </MenuItem>
        ))}
        <MenuLine />
        <MenuItem icon={BookmarkPlus} disabled={!canWrite} onSelect={() => setAsking('new')}>
          Save as a new view…
        </MenuItem>
        {view && (
          <>
            {mayChange && !isSame && (
              <MenuItem
                icon={Save}
                disabled={!canWrite}
                onSelect={() => change.mutate({ view, body: { filters: { ...filters } } })}
              >
                Save the changed filters
              </MenuItem>
            )}
            <MenuItem
              icon={standard === view.id ? PinOff : Pin}
              onSelect={() => setStandard(standard === view.id ? undefined : view.id)}
              note="On this device"
            >
              {standard === view.id ? 'No longer open with it' : 'Open with this view'}
            </MenuItem>
            <MenuItem
              icon={Pencil}
              disabled={!canWrite || !mayChange}
              onSelect={() => setAsking('rename')}
              {...(mayChange ? {} : { note: 'Only its owner or an admin may' })}
            >
              Rename…
            </MenuItem>
            <MenuItem
              icon={Share2}
              disabled={!canWrite || !mayChange}
              onSelect={() => change.mutate({ view, body: { shared: !view.shared } })}
            >
              {view.shared ? 'Keep it to yourself' : 'Share with all members'}
            </MenuItem>
            <MenuItem icon={Trash2} disabled={!canWrite || !mayChange} onSelect={() => setAsking('remove')}>
              Delete…
            </MenuItem>
          </>
        )}
      </Menu>
      <Dialog
        open={asking === 'new' || asking === 'rename'}
        onOpenChange={() => setAsking(undefined)}
        title={asking === 'rename' ? 'Rename the view' : 'Save a view'}
      >
        <ViewForm
          view={asking === 'rename' ? view : undefined}
          filters={filters}
          onDone={(made) => {
            setAsking(undefined)
            if (made.id !== saved) open(made)
          }}
        />
      </Dialog>
      {view && <Removing view={view} isOpen={asking === 'remove'} onClose={() => setAsking(undefined)} />}
    </>
  )
}

function noteOf(view: View, me: number, isDefault: boolean): { note?: string } {
  const words = [
    view.shared ? (view.user_id === me ? 'Shared by you' : 'Shared') : '',
    isDefault ? 'opens here by itself' : '',
  ].filter(Boolean)
  return words.length === 0 ? {} : { note: words.join(', ') }
}

const sameFilters = (a: FoundQuery, b: FoundQuery): boolean => {
  const sorted = (filters: FoundQuery) => JSON.stringify(Object.entries(filters).sort())
  return sorted(a) === sorted(b)
}

/** On its board if it is of that board alone and the board can show it; otherwise over all cards. */
function useOpenView(place: string, boards: readonly BoardName[]) {
  const navigate = useNavigate()
  return (view: View) => {
    const { board, status, sort, ...filters } = addressOf(view, boards)
    const here = boards.find(({ id }) => id === place)
    const fits = status === undefined && sort === undefined && Object.keys(restOf(view)).length === 0
    if (here && board === here.key && fits)
      void navigate({ ...toBoard(here.key), search: { ...filters, saved: view.id } })
    else
      void navigate({
        to: paths.all,
        search: {
          ...filters,
          ...(board && { board }),
          ...(status && { status }),
          ...(sort && { sort }),
          saved: view.id,
        },
      })
  }
}

/** The API keeps no such choice: it belongs to this browser. */
function useDefaultView(place: string) {
  const { brand_id } = useBrand()
  const key = `crewhall.view.${brand_id}.${place}`
  const [chosen, setChosen] = useState(() => localStorage.getItem(key) ?? undefined)
  const choose = (id: string | undefined) => {
    if (id === undefined) localStorage.removeItem(key)
    else localStorage.setItem(key, id)
    setChosen(id)
  }
  return [chosen, choose] as const
}

/** Once, when the page is opened by an address that says nothing else. */
function useOpenDefault(place: string, view: View | undefined, open: (view: View) => void): void {
  const search = useSearch({ strict: false })
  const wasPlain = useRef(Object.keys(search).length === 0)
  const done = useRef('')
  useEffect(() => {
    if (!view || !wasPlain.current || done.current === place) return
    done.current = place
    open(view)
  }, [view, place, open])
}

function useChangeView() {
  return useMutation({
    mutationFn: async ({ view, body }: { readonly view: View; readonly body: ViewChange }) =>
      (await api.acting(newAction()).boards.changeView({ params: { view_id: view.id }, body })).body,
    onSuccess: ({ name }) => say(`The view ${name} is changed`),
    onError: (error) => sayFailed('The view was not changed', error),
    onSettled: () => queries.invalidateQueries({ queryKey: ['views'] }),
  })
}
interface ViewChange {
  readonly shared?: boolean
  readonly filters?: Record<string, string>
}

interface ViewFormProps {
  /** The one to rename; without it, a new one is saved. */
  readonly view: View | undefined
  readonly filters: FoundQuery
  readonly onDone: (view: View) => void
}

function ViewForm({ view, filters, onDone }: ViewFormProps) {
  const id = useId()
  const [action] = useState(newAction)
  const [shared, setShared] = useState(false)
  const form = useForm(
    async ({ name = '' }) => {
      const { boards } = api.acting(action)
      return view
        ? (await boards.changeView({ params: { view_id: view.id }, body: { name } })).body
        : (await boards.createView({ body: { name, filters: { ...filters }, shared } })).body
    },
    (made) => {
      queries.setQueryData(viewsQuery.queryKey, (known = []) => [
        ...known.filter((each) => each.id !== made.id),
        made,
      ])
      void queries.invalidateQueries({ queryKey: ['views'] })
      onDone(made)
    },
  )
  const nameError = errorOf(form.problem, 'name')
  const count = Object.keys(filters).length
  return (
    <form id={id} onSubmit={form.onSubmit} className="flex flex-col gap-4" noValidate>
      <Field label="Name" name="name" required autoFocus defaultValue={view?.name ?? ''} error={nameError} />
      {!view && (
        <>
          <p className="text-ink-2">
            {count === 0
              ? 'Nothing is filtered: the view shows all cards.'
              : `Keeps ${Object.entries(filters)
                  .map(([name, value]) =>
                    name === 'board_ids' ? 'the board' : `${name.replaceAll('_', ' ')} ${value}`,
                  )
                  .join(', ')}.`}
          </p>
          <div className="flex items-center justify-between gap-4">
            <span>Share with all members</span>
            <Switch label="Share with all members" checked={shared} onChange={setShared} />
          </div>
        </>
      )}
      <FormError problem={nameError === undefined ? form.problem : undefined} />
      <div className="flex justify-end">
        <Button type="submit" look="primary" busy={form.isBusy}>
          {view ? 'Rename' : 'Save view'}
        </Button>
      </div>
    </form>
  )
}

interface RemovingProps {
  readonly view: View
  readonly isOpen: boolean
  readonly onClose: () => void
}

function Removing({ view, isOpen, onClose }: RemovingProps) {
  const navigate = useNavigate()
  const remove = useMutation({
    mutationFn: () => api.acting(newAction()).boards.removeView({ params: { view_id: view.id } }),
    onSuccess: () => void navigate({ to: '.', replace: true, search: ({ saved: _, ...rest }) => rest }),
    onError: (error) => sayFailed('The view was not deleted', error),
    onSettled: () => {
      onClose()
      return queries.invalidateQueries({ queryKey: ['views'] })
    },
  })
  return (
    <Confirm
      open={isOpen}
      onOpenChange={onClose}
      title={`Delete the view ${view.name}?`}
      consequences={[
        ...(view.shared ? ['It disappears for all members.'] : []),
        'The cards stay as they are. This cannot be undone.',
      ]}
      action="Delete view"
      is_final
      busy={remove.isPending}
      onConfirm={() => remove.mutate()}
    />
  )
}
