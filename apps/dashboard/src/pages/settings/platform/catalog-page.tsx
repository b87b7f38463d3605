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
import { State } from '../../../ui/states.tsx'
import { Table } from '../../../ui/table.tsx'
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
      <Table
        className="max-w-280"
        read={{ what: 'The catalog', error, refetch }}
        rows={data?.items}
        keyOf={({ profile_id }) => profile_id}
        lines={2}
        empty={
          <State icon={Bot} title="No employees yet">
            Employees come with releases, or from whoever runs this installation.
          </State>
        }
        columns={[
          {
            name: 'Employee',
            cell: ({ name, key }) => (
              <span className="flex items-center gap-2.5">
                <Avatar name={name} id={key} kind="agent" />
                <span className="min-w-0">
                  <span className="block break-words font-medium">{name}</span>
                  <span className="block break-all font-mono text-ink-2 text-meta">{key}</span>
                </span>
              </span>
            ),
          },
          {
            name: 'State',
            width: 'w-28',
            cell: ({ status }) => <Pill tone={statusWords[status].tone}>{statusWords[status].word}</Pill>,
          },
          { name: 'Version', width: 'w-40', from: 'md', look: 'text-ink-2', cell: versionsOf },
          {
            name: 'Managed by',
            width: 'w-32',
            from: 'lg',
            look: 'text-ink-2',
            cell: ({ managed_by }) => (managed_by === 'release' ? 'Releases' : 'Operator'),
          },
          {
            name: 'Changed',
            width: 'w-28',
            from: 'lg',
            atEnd: true,
            look: 'text-ink-2',
            title: ({ updated_at }) => updated_at,
            cell: ({ updated_at }) => whenTold(updated_at, now),
          },
          {
            name: 'Actions',
            width: 'w-12',
            hasActions: true,
            cell: (employee) => <EmployeeMenu employee={employee} />,
          },
        ]}
      />
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
