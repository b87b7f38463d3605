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
import { State } from '../../../ui/states.tsx'
import { Table } from '../../../ui/table.tsx'
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
      <Table
        read={{ what: 'The workspaces', error, refetch }}
        rows={data?.brands}
        keyOf={({ id }) => id}
        expected={6}
        isLinked
        empty={<State icon={Building2} title="No more workspaces" />}
        columns={[
          {
            name: 'Id',
            width: 'w-16',
            from: 'md',
            look: 'font-mono text-ink-2 text-meta',
            cell: ({ id }) => id,
          },
          {
            name: 'Name',
            cell: (brand) => (
              <button
                type="button"
                onClick={() => setEdited(brand)}
                className="max-w-full break-words text-left font-medium after:absolute after:inset-0"
              >
                {brand.name}
              </button>
            ),
          },
          {
            name: 'Plan',
            width: 'w-24',
            look: 'font-mono text-ink-2 text-meta',
            cell: ({ plan_key }) => plan_key,
          },
          {
            name: 'Subscription',
            width: 'w-36',
            from: 'md',
            cell: ({ subscription: { status } }) => (
              <Pill tone={tones[status]}>{subscriptionWords[status]}</Pill>
            ),
          },
          {
            name: 'Scopes of tokens',
            from: 'xl',
            look: 'font-mono text-ink-2 text-micro',
            cell: ({ scope_ceiling }) => scope_ceiling.join(' '),
          },
          {
            name: 'Made',
            width: 'w-28',
            from: 'lg',
            atEnd: true,
            look: 'text-ink-2',
            title: ({ created_at }) => created_at,
            cell: ({ created_at }) => whenTold(created_at, now),
          },
        ]}
      />
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
