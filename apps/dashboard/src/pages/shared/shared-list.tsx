import type { GuestRole } from '@crewhall/contracts/workspaces/guests.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { BookText, Kanban, type LucideIcon, Share2 } from 'lucide-react'
import { sharedBoardHref, sharedSpaceHref } from '../../app/paths.ts'
import { sharedQuery } from '../../app/shared.ts'
import { useNow, whenTold } from '../../app/times.ts'
import { Page } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows, State } from '../../ui/states.tsx'
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
  if (error && !data)
    return <ErrorState error={error} what="What is shared with you" onRetry={() => void refetch()} />
  if (!data) return <SkeletonRows />
  const things: readonly Thing[] = [
    ...data.boards.map(({ id, name, key, role, added_at, archived_at }) => ({
      ...{ id, name, role, added_at, icon: Kanban, to: sharedBoardHref(id) },
      kind: archived_at === null ? `Board ${key}` : `Board ${key}, archived`,
    })),
    ...data.spaces.map(({ id, name, role, added_at }) => ({
      ...{ id, name, role, added_at, icon: BookText, to: sharedSpaceHref(id) },
      kind: 'Documents',
    })),
  ]
  if (things.length === 0)
    return (
      <State icon={Share2} title="Nothing is shared with you">
        An admin of a workspace can share a board or documents with the address of your account.
      </State>
    )
  return (
    <div className="p-4 md:p-5">
      <div className="overflow-hidden rounded-card border border-line bg-surface">
        <table className="w-full table-fixed">
          <thead>
            <tr className="h-8.5 border-line border-b text-left text-ink-2 text-meta">
              <th className="px-4 font-medium">Name</th>
              <th className="w-28 px-4 font-medium md:w-40">You are</th>
              <th className="hidden w-36 px-4 text-right font-medium md:table-cell">Since</th>
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {things.map((thing) => (
              <Row key={thing.id} thing={thing} since={whenTold(thing.added_at, now)} />
            ))}
          </tbody>
        </table>
      </div>
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

function Row({ thing, since }: { readonly thing: Thing; readonly since: string }) {
  const { icon: Icon, name, kind, to, role, added_at } = thing
  return (
    <tr className="relative h-[var(--ch-row-2)] hover:bg-hover">
      <td className="px-4">
        <Link to={to} title={name} className="flex items-center gap-3 after:absolute after:inset-0">
          <Icon size={16} strokeWidth={1.75} className="shrink-0 text-ink-2" aria-hidden />
          <span className="min-w-0">
            <span className="block truncate font-medium" dir="auto">
              {name}
            </span>
            <span className="block truncate text-ink-2 text-meta">{kind}</span>
          </span>
        </Link>
      </td>
      <td className="px-4">{roleWord(role)}</td>
      <td className="hidden px-4 text-right text-ink-2 md:table-cell" title={added_at}>
        {since}
      </td>
    </tr>
  )
}
