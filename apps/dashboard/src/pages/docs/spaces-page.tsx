import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { BookText, Plus } from 'lucide-react'
import { useState } from 'react'
import { newAction } from '../../api/own-fetch.ts'
import { queries } from '../../app/queries.ts'
import { useNow, whenTold } from '../../app/times.ts'
import { useCanWrite } from '../../live/live.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Page } from '../../ui/page.tsx'
import { State } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { docsApi, ownDocs, spacesQuery } from './docs-data.ts'
import { NameForm } from './name-form.tsx'

/** The docs spaces of the workspace. */
export function SpacesPage() {
  const [isAdding, setAdding] = useState(false)
  const [action, setAction] = useState(newAction)
  const canWrite = useCanWrite()
  const navigate = useNavigate()
  const add = () => {
    setAction(newAction())
    setAdding(true)
  }
  return (
    <Page
      title="Documents"
      actions={
        <Button look="primary" disabled={!canWrite} onClick={add}>
          <Plus size={15} aria-hidden />
          New space
        </Button>
      }
    >
      <Spaces canWrite={canWrite} onAdd={add} />
      <Dialog
        open={isAdding}
        onOpenChange={setAdding}
        title="New space"
        description="A space holds pages, and is shared with guests as a whole."
      >
        <NameForm
          action="Make space"
          onCancel={() => setAdding(false)}
          send={async (name) => (await docsApi.acting(action).docs.createSpace({ body: { name } })).body}
          onDone={({ id }) => {
            void queries.invalidateQueries({ queryKey: spacesQuery.queryKey })
            setAdding(false)
            void navigate({ to: ownDocs.hrefs.space(id) })
          }}
        />
      </Dialog>
    </Page>
  )
}

function Spaces({ canWrite, onAdd }: { readonly canWrite: boolean; readonly onAdd: () => void }) {
  const { data, error, refetch } = useQuery(spacesQuery)
  const now = useNow()
  return (
    <div className="p-4 md:p-5">
      <Table
        read={{ what: 'The spaces', error, refetch }}
        rows={data}
        keyOf={({ id }) => id}
        lines={2}
        isLinked
        empty={
          <State
            icon={BookText}
            title="No documents yet"
            action={
              <Button look="primary" disabled={!canWrite} onClick={onAdd}>
                Make a space
              </Button>
            }
          >
            A space holds the pages that a team writes: how it works, what it decided, what a customer should
            know.
          </State>
        }
        columns={[
          {
            name: 'Space',
            cell: ({ id, name }) => (
              <Link
                to={ownDocs.hrefs.space(id)}
                title={name}
                className="flex items-center gap-3 font-medium after:absolute after:inset-0"
              >
                <BookText size={16} strokeWidth={1.75} className="shrink-0 text-ink-2" aria-hidden />
                <span className="truncate" dir="auto">
                  {name}
                </span>
              </Link>
            ),
          },
          {
            name: 'Made',
            width: 'w-28 md:w-40',
            atEnd: true,
            look: 'text-ink-2',
            title: ({ created_at }) => created_at,
            cell: ({ created_at }) => whenTold(created_at, now),
          },
        ]}
      />
    </div>
  )
}
