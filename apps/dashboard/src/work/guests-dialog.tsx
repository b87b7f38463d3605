import type { GuestRole } from '@crewhall/contracts/workspaces/guests.ts'
import type { ResourceGuest } from '@crewhall/contracts/workspaces/sharing.ts'
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { ChevronDown, X } from 'lucide-react'
import { useState } from 'react'
import { type Action, newAction } from '../api/own-fetch.ts'
import { queries } from '../app/queries.ts'
import { useCanWrite } from '../live/live.tsx'
import { Avatar } from '../ui/avatar.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { Confirm, Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { FormError } from '../ui/form-error.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { Select } from '../ui/select.tsx'
import { ErrorState, SkeletonRows } from '../ui/states.tsx'
import { say, sayFailed } from '../ui/toast.tsx'
import { errorOf, useForm } from '../ui/use-form.ts'
import { guestRoles, roleWord } from './guest-roles.ts'

/** The guests of one thing that is shared, by the four routes that every kind of it has. */
export interface GuestsOf {
  readonly key: readonly string[]
  /** Of what is shared. */
  readonly name: string
  /** What each role may do there, in a few words. */
  readonly rights: Readonly<Record<GuestRole, string>>
  list(after: number | undefined, signal: AbortSignal): Promise<GuestPart>
  add(action: Action, guest: { readonly email: string; readonly role: GuestRole }): Promise<unknown>
  change(action: Action, user_id: number, role: GuestRole): Promise<unknown>
  remove(action: Action, user_id: number): Promise<unknown>
}

interface GuestPart {
  readonly guests: readonly ResourceGuest[]
  readonly next_after: number | null
}

export const guestsQuery = (of: GuestsOf) =>
  queryOptions({
    queryKey: of.key,
    queryFn: async ({ signal }) => {
      const found: ResourceGuest[] = []
      let after: number | undefined
      do {
        const part = await of.list(after, signal)
        found.push(...part.guests)
        after = part.next_after ?? undefined
      } while (after !== undefined)
      return found
    },
  })

interface GuestsDialogProps {
  readonly of: GuestsOf
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}

/** Who from outside the workspace may open it: add, change, remove. */
export function GuestsDialog({ of, open, onOpenChange }: GuestsDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      width="m"
      title={`Guests of ${of.name}`}
      description="People from outside the workspace. They see this, and nothing else of it."
    >
      <div className="flex flex-col gap-5">
        <AddGuest of={of} />
        <Guests of={of} />
      </div>
    </Dialog>
  )
}

function AddGuest({ of }: { readonly of: GuestsOf }) {
  const [turn, setTurn] = useState(0)
  return <AddForm key={turn} of={of} onAdded={() => setTurn(turn + 1)} />
}

/** Of its own, so that it begins empty again after each guest. */
function AddForm({ of, onAdded }: { readonly of: GuestsOf; readonly onAdded: () => void }) {
  const canWrite = useCanWrite()
  const form = useForm(
    async ({ email = '', role = '' }) => {
      await of.add(newAction(), { email, role: guestRoles.find((each) => each === role) ?? 'viewer' })
      return email
    },
    (email) => {
      void queries.invalidateQueries({ queryKey: of.key })
      say(`${of.name} is shared with ${email}`, { note: 'A letter with the link is on its way.' })
      onAdded()
    },
  )
  const wrong = errorOf(form.problem, 'email')
  return (
    <form onSubmit={form.onSubmit} className="flex flex-col gap-3" noValidate>
      <div className="flex flex-col gap-3 md:flex-row md:items-start">
        <div className="grow">
          <Field
            label="E-mail of an account"
            name="email"
            type="email"
            required
            autoComplete="off"
            error={wrong}
          />
        </div>
        <Select
          label="Role"
          name="role"
          options={guestRoles.map((value) => ({
            value,
            word: `${roleWord(value)}: ${of.rights[value].toLowerCase()}`,
          }))}
        />
        <Button
          type="submit"
          look="primary"
          size="l"
          busy={form.isBusy}
          disabled={!canWrite}
          className="md:mt-6.5"
        >
          Share
        </Button>
      </div>
      <FormError problem={wrong === undefined ? form.problem : undefined} />
    </form>
  )
}

function Guests({ of }: { readonly of: GuestsOf }) {
  const { data, error, refetch } = useQuery(guestsQuery(of))
  if (error && !data) return <ErrorState error={error} what="The guests" onRetry={() => void refetch()} />
  if (!data) return <SkeletonRows rows={2} />
  if (data.length === 0) return <p className="text-ink-2">Nobody from outside can open it.</p>
  return (
    <ul className="divide-y divide-line rounded-card border border-line">
      {data.map((guest) => (
        <Guest key={guest.user_id} of={of} guest={guest} />
      ))}
    </ul>
  )
}

function Guest({ of, guest }: { readonly of: GuestsOf; readonly guest: ResourceGuest }) {
  const canWrite = useCanWrite()
  const [isAsking, setAsking] = useState(false)
  const after = {
    onError: (error: unknown) => sayFailed(`The access of ${guest.full_name} was not changed`, error),
    onSettled: () => queries.invalidateQueries({ queryKey: of.key }),
  }
  const change = useMutation({
    mutationFn: (role: GuestRole) => of.change(newAction(), guest.user_id, role),
    ...after,
  })
  const remove = useMutation({ mutationFn: () => of.remove(newAction(), guest.user_id), ...after })
  return (
    <li className="flex min-h-[var(--ch-row-2)] items-center gap-3 px-3 py-2">
      <Avatar name={guest.full_name} id={String(guest.user_id)} kind="person" image={guest.image} size={30} />
      <div className="min-w-0 grow">
        <p className="truncate font-medium" title={guest.full_name}>
          {guest.full_name}
        </p>
        <p className="text-ink-2 text-meta [overflow-wrap:anywhere]" title={guest.email}>
          {guest.email}
        </p>
      </div>
      <Menu
        align="end"
        trigger={
          <Button size="s" disabled={!canWrite || change.isPending}>
            <span className="sr-only">Role of {guest.full_name}: </span>
            {roleWord(guest.role)}
            <ChevronDown size={13} aria-hidden />
          </Button>
        }
      >
        {guestRoles.map((role) => (
          <MenuItem
            key={role}
            isChosen={role === guest.role}
            note={of.rights[role]}
            onSelect={() => role !== guest.role && change.mutate(role)}
          >
            {roleWord(role)}
          </MenuItem>
        ))}
      </Menu>
      <IconButton label={`Remove ${guest.full_name}`} disabled={!canWrite} onClick={() => setAsking(true)}>
        <X size={15} aria-hidden />
      </IconButton>
      <Confirm
        open={isAsking}
        onOpenChange={setAsking}
        title={`Remove ${guest.full_name}?`}
        consequences={[
          `${of.name} closes for them with their next request, also where it is open now.`,
          'What they wrote stays, under their name.',
        ]}
        action="Remove guest"
        busy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSettled: () => setAsking(false) })}
      />
    </li>
  )
}
