import type { GuestRole } from '@crewhall/contracts/workspaces/guests.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { BookText, Kanban, type LucideIcon, Share2 } from 'lucide-react'
import { sharedBoardHref, sharedSpaceHref } from '../../app/paths.ts'
import { sharedQuery } from '../../app/shared.ts'
import { useNow, whenTold } from '../../app/times.ts'
import { Page } from '../../ui/page.tsx'
import { State } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { roleWord } from '../../work/guest-roles.ts'

/** The boards and docs spaces of other workspaces that the person may open. */
export function SharedList() {
  return (
    <Page title="Shared with you">
      <Things />
    </Page>
  )
}

function Things() {
  const { data, error, refetch } = useQuery(sharedQuery)
  const now = useNow()
  const things: readonly Thing[] | undefined = data && [
    ...data.boards.map(({ id, name, key, role, added_at, archived_at }) => ({
      ...{ id, name, role, added_at, icon: Kanban, to: sharedBoardHref(id) },
      kind: archived_at === null ? `Board ${key}` : `Board ${key}, archived`,
    })),
    ...data.spaces.map(({ id, name, role, added_at }) => ({
      ...{ id, name, role, added_at, icon: BookText, to: sharedSpaceHref(id) },
      kind: 'Documents',
    })),
  ]
  return (
    <div className="p-4 md:p-5">
      <Table
        read={{ what: 'What is shared with you', error, refetch }}
        rows={things}
        keyOf={({ id }) => id}
        lines={2}
        isLinked
        empty={
          <State icon={Share2} title="Nothing is shared with you">
            An admin of a workspace can share a board or documents with the address of your account.
          </State>
        }
        columns={[
          { name: 'Name', cell: (thing) => <ThingLink {...thing} /> },
          { name: 'You are', width: 'w-28 md:w-40', cell: ({ role }) => roleWord(role) },
          {
            name: 'Since',
            width: 'w-36',
            from: 'md',
            atEnd: true,
            look: 'text-ink-2',
            title: ({ added_at }) => added_at,
            cell: ({ added_at }) => whenTold(added_at, now),
          },
        ]}
      />
    </div>
  )
}

interface Thing {
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly icon: LucideIcon
  readonly role: GuestRole
  readonly added_at: string
  readonly to: string
}

function ThingLink({ icon: Icon, name, kind, to }: Thing) {
  return (
    <Link to={to} title={name} className="flex items-center gap-3 after:absolute after:inset-0">
      <Icon size={16} strokeWidth={1.75} className="shrink-0 text-ink-2" aria-hidden />
      <span className="min-w-0">
        <span className="block truncate font-medium" dir="auto">
          {name}
        </span>
        <span className="block truncate text-ink-2 text-meta">{kind}</span>
      </span>
    </Link>
  )
}
