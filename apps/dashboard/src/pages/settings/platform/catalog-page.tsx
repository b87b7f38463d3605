import type { CatalogEmployee } from '@crewhall/contracts/hires/catalog.ts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Bot, Ellipsis, Plus } from 'lucide-react'
import { useState } from 'react'
import { newAction } from '../../../api/own-fetch.ts'
import { useNow, whenTold } from '../../../app/times.ts'
import { useCanWrite } from '../../../live/live.tsx'
import { Avatar } from '../../../ui/avatar.tsx'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Confirm, Dialog } from '../../../ui/dialog.tsx'
import { Menu, MenuItem } from '../../../ui/menu.tsx'
import { Paging } from '../../../ui/paging.tsx'
import { Pill } from '../../../ui/pill.tsx'
import { ErrorState, SkeletonRows, State } from '../../../ui/states.tsx'
import { SettingsLayout } from '../settings-layout.tsx'
import { EditEmployee, NewEmployee } from './employee-draft.tsx'
import { catalogQuery, platformApi, usePlatformDeed } from './platform-data.ts'

const statusWords = {
  draft: { word: 'Draft', tone: 'idle' },
  published: { word: 'Published', tone: 'ok' },
  withdrawn: { word: 'Withdrawn', tone: 'warn' },
} as const

/** The employees that workspaces may hire, and those that they do not see yet. */
export function CatalogPage() {
  const { cursor } = useSearch({ strict: false })
  const { data, error, refetch } = useQuery({ ...catalogQuery(cursor), placeholderData: keepPreviousData })
  const now = useNow()
  const [isAdding, setAdding] = useState(false)
  const canWrite = useCanWrite()
  return (
    <SettingsLayout
      title="Catalog"
      actions={
        data && (
          <Button look="primary" disabled={!canWrite} onClick={() => setAdding(true)}>
            <Plus size={15} aria-hidden />
            New employee
          </Button>
        )
      }
    >
      {error && !data ? (
        <ErrorState error={error} what="The catalog" onRetry={() => void refetch()} />
      ) : (
        <div className="max-w-280 overflow-hidden rounded-card border border-line bg-surface">
          {data === undefined ? (
            <SkeletonRows rows={5} />
          ) : data.items.length === 0 ? (
            <State icon={Bot} title="No employees yet">
              Employees come with releases, or from whoever runs this installation.
            </State>
          ) : (
            <table className="w-full table-fixed">
              <thead>
                <tr className="h-8.5 border-line border-b text-left text-ink-2 text-meta">
                  <th className="px-4 font-medium">Employee</th>
                  <th className="w-28 px-4 font-medium">State</th>
                  <th className="hidden w-40 px-4 font-medium md:table-cell">Version</th>
                  <th className="hidden w-32 px-4 font-medium lg:table-cell">Managed by</th>
                  <th className="hidden w-28 px-4 text-right font-medium lg:table-cell">Changed</th>
                  <th className="w-12">
                    <span className="sr-only">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody className="divide-y divide-line">
                {data.items.map((employee) => (
                  <tr key={employee.profile_id} className="h-[var(--ch-row-2)]">
                    <td className="px-4 py-2">
                      <span className="flex items-center gap-2.5">
                        <Avatar name={employee.name} id={employee.key} kind="agent" />
                        <span className="min-w-0">
                          <span className="block break-words font-medium">{employee.name}</span>
                          <span className="block break-all font-mono text-ink-2 text-meta">
                            {employee.key}
                          </span>
                        </span>
                      </span>
                    </td>
                    <td className="px-4">
                      <Pill tone={statusWords[employee.status].tone}>
                        {statusWords[employee.status].word}
                      </Pill>
                    </td>
                    <td className="hidden px-4 text-ink-2 md:table-cell">{versionsOf(employee)}</td>
                    <td className="hidden px-4 text-ink-2 lg:table-cell">
                      {employee.managed_by === 'release' ? 'Releases' : 'Operator'}
                    </td>
                    <td
                      className="hidden px-4 text-right text-ink-2 lg:table-cell"
                      title={employee.updated_at}
                    >
                      {whenTold(employee.updated_at, now)}
                    </td>
                    <td className="pr-2 text-right">
                      <EmployeeMenu employee={employee} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </div>
      )}
      <Paging
        words={['First', 'Next']}
        first={cursor === undefined ? undefined : {}}
        next={data?.next_after ? { cursor: data.next_after } : undefined}
      />
      <Dialog open={isAdding} onOpenChange={setAdding} title="New employee" width="m">
        <NewEmployee onDone={() => setAdding(false)} />
      </Dialog>
    </SettingsLayout>
  )
}

const versionsOf = ({ version, draft_version }: CatalogEmployee): string =>
  [
    ...(version === null ? [] : [String(version)]),
    ...(draft_version === null ? [] : [`${draft_version} as a draft`]),
  ].join(', ')

function EmployeeMenu({ employee }: { readonly employee: CatalogEmployee }) {
  const canWrite = useCanWrite()
  const [asking, setAsking] = useState<'edit' | 'publish' | 'withdraw'>()
  const { profile_id, name, revision, status } = employee
  const close = () => setAsking(undefined)
  const publish = usePlatformDeed(
    `${name} was not published`,
    // What is published is what was shown here.
    () =>
      platformApi.acting(newAction()).hires.publishEmployee({ params: { profile_id }, body: { revision } }),
    close,
  )
  const withdraw = usePlatformDeed(
    `${name} was not withdrawn`,
    () => platformApi.acting(newAction()).hires.withdrawEmployee({ params: { profile_id } }),
    close,
  )
  return (
    <>
      <Menu
        align="end"
        trigger={
          <IconButton label={`Actions for ${name}`}>
            <Ellipsis size={16} aria-hidden />
          </IconButton>
        }
      >
        <MenuItem onSelect={() => setAsking('edit')}>Edit the draft</MenuItem>
        <MenuItem disabled={!canWrite} onSelect={() => setAsking('publish')}>
          Publish
        </MenuItem>
        {status === 'published' && (
          <MenuItem disabled={!canWrite} onSelect={() => setAsking('withdraw')}>
            Withdraw
          </MenuItem>
        )}
      </Menu>
      <Dialog
        open={asking === 'edit'}
        onOpenChange={(open) => setAsking(open ? 'edit' : undefined)}
        title={`Draft of ${name}`}
        description="What is published stays as it is until the draft is published."
        width="m"
      >
        <EditEmployee employee={employee} onDone={close} />
      </Dialog>
      <Confirm
        open={asking === 'publish'}
        onOpenChange={(open) => setAsking(open ? 'publish' : undefined)}
        title={`Publish ${name}?`}
        consequences={['Every workspace sees it, with its draft if there is one, and may hire it.']}
        action="Publish"
        busy={publish.isPending}
        onConfirm={() => publish.mutate(undefined)}
      />
      <Confirm
        open={asking === 'withdraw'}
        onOpenChange={(open) => setAsking(open ? 'withdraw' : undefined)}
        title={`Withdraw ${name}?`}
        consequences={[
          'Workspaces no longer see it, and releases do not bring it back.',
          'Its versions and its draft are kept.',
        ]}
        action="Withdraw"
        busy={withdraw.isPending}
        onConfirm={() => withdraw.mutate(undefined)}
      />
    </>
  )
}
