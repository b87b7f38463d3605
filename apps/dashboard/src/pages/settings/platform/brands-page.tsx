import type { AdminBrand } from '@crewhall/contracts/identity/admin.ts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Building2, Plus } from 'lucide-react'
import { useState } from 'react'
import { useNow, whenTold } from '../../../app/times.ts'
import { useCanWrite } from '../../../live/live.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Paging } from '../../../ui/paging.tsx'
import { Pill } from '../../../ui/pill.tsx'
import { ErrorState, SkeletonRows, State } from '../../../ui/states.tsx'
import { SettingsLayout } from '../settings-layout.tsx'
import { EditBrand, NewBrand } from './brand-forms.tsx'
import { brandsQuery } from './platform-data.ts'

const tones = { none: 'idle', active: 'ok', past_due: 'warn', canceled: 'bad' } as const
export const subscriptionWords = {
  none: 'No subscription',
  active: 'Active',
  past_due: 'Past due',
  canceled: 'Canceled',
} as const

/** The workspaces of the installation, as whoever runs it sees them: their plans, none of their content. */
export function BrandsPage() {
  const { cursor } = useSearch({ strict: false })
  const { data, error, refetch } = useQuery({ ...brandsQuery(cursor), placeholderData: keepPreviousData })
  const [isAdding, setAdding] = useState(false)
  const [edited, setEdited] = useState<AdminBrand>()
  const canWrite = useCanWrite()
  const now = useNow()
  if (error && !data)
    return (
      <SettingsLayout title="Workspaces">
        <ErrorState error={error} what="The workspaces" onRetry={() => void refetch()} />
      </SettingsLayout>
    )
  return (
    <SettingsLayout
      title="Workspaces"
      actions={
        data && (
          <Button look="primary" disabled={!canWrite} onClick={() => setAdding(true)}>
            <Plus size={15} aria-hidden />
            New workspace
          </Button>
        )
      }
    >
      <div className="overflow-hidden rounded-card border border-line bg-surface">
        {data === undefined ? (
          <SkeletonRows rows={6} />
        ) : data.brands.length === 0 ? (
          <State icon={Building2} title="No more workspaces" />
        ) : (
          <table className="w-full table-fixed">
            <thead>
              <tr className="h-8.5 border-line border-b text-left text-ink-2 text-meta">
                <th className="hidden w-16 px-4 font-medium md:table-cell">Id</th>
                <th className="px-4 font-medium">Name</th>
                <th className="w-24 px-4 font-medium">Plan</th>
                <th className="hidden w-36 px-4 font-medium md:table-cell">Subscription</th>
                <th className="hidden px-4 font-medium xl:table-cell">Scopes of tokens</th>
                <th className="hidden w-28 px-4 text-right font-medium lg:table-cell">Made</th>
              </tr>
            </thead>
            <tbody className="divide-y divide-line">
              {data.brands.map((brand) => (
                <tr key={brand.id} className="relative h-[var(--ch-row)] hover:bg-hover">
                  <td className="hidden px-4 font-mono text-ink-2 text-meta md:table-cell">{brand.id}</td>
                  <td className="px-4 py-1.5">
                    <button
                      type="button"
                      onClick={() => setEdited(brand)}
                      className="max-w-full break-words text-left font-medium after:absolute after:inset-0"
                    >
                      {brand.name}
                    </button>
                  </td>
                  <td className="px-4 font-mono text-ink-2 text-meta">{brand.plan_key}</td>
                  <td className="hidden px-4 md:table-cell">
                    <Pill tone={tones[brand.subscription.status]}>
                      {subscriptionWords[brand.subscription.status]}
                    </Pill>
                  </td>
                  <td className="hidden px-4 py-1.5 font-mono text-ink-2 text-micro xl:table-cell">
                    {brand.scope_ceiling.join(' ')}
                  </td>
                  <td className="hidden px-4 text-right text-ink-2 lg:table-cell" title={brand.created_at}>
                    {whenTold(brand.created_at, now)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
      <Paging
        words={['First', 'Next']}
        first={cursor === undefined ? undefined : {}}
        next={data?.next_after ? { cursor: String(data.next_after) } : undefined}
      />
      <Dialog open={isAdding} onOpenChange={setAdding} title="New workspace">
        <NewBrand onDone={() => setAdding(false)} />
      </Dialog>
      <Dialog
        open={edited !== undefined}
        onOpenChange={(open) => !open && setEdited(undefined)}
        title={edited?.name ?? ''}
        description="Takes effect at once."
        width="m"
      >
        {edited && <EditBrand brand={edited} onDone={() => setEdited(undefined)} />}
      </Dialog>
    </SettingsLayout>
  )
}
