import { Tabs } from '@base-ui/react/tabs'
import type { Page as DocsPage } from '@crewhall/contracts/docs-spaces/pages.ts'
import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react'
import { newAction } from '../../api/own-fetch.ts'
import { problemOf } from '../../api/problem.ts'
import { queries } from '../../app/queries.ts'
import { useMe } from '../../app/session.ts'
import { useCanWrite } from '../../live/live.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { KeyCap, modKey } from '../../ui/key-cap.tsx'
import { Page } from '../../ui/page.tsx'
import { useWide } from '../../ui/use-wide.ts'
import { Prose } from '../../work/prose.tsx'
import { Conflict } from './conflict.tsx'
import { type DocsSource, pageQuery, pagesQuery, type SpaceFacts } from './docs-data.ts'
import { useDraftOf } from './draft.ts'
import { MarkdownField } from './markdown-field.tsx'

interface PageEditorProps {
  readonly source: DocsSource
  readonly space: SpaceFacts
  /** As it is saved now; undefined for a new one, or one that somebody has deleted. */
  readonly page: DocsPage | undefined
  readonly page_id: string | undefined
}

const empty = { title: '', body: '', version: 0 }

/** Writes a page: text left, what becomes of it right; on small screens one after the other. */
export function PageEditor({ source, space, page, page_id }: PageEditorProps) {
  const { person } = useMe()
  const canWrite = useCanWrite()
  const navigate = useNavigate()
  const saved = page ?? empty
  const { draft, change, forget, was_kept } = useDraftOf(
    `${person.id}.${page_id ?? `new.${space.id}`}`,
    saved,
  )
  const { title, body, version } = draft
  const [isComparing, setComparing] = useState(false)
  // The same for each try of the same text.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text is another gesture
  const action = useMemo(() => newAction(), [title, body, version])
  const isGone = page_id !== undefined && page === undefined
  const isNew = page_id === undefined || isGone
  const back = isNew ? source.hrefs.space(space.id) : source.hrefs.page(space.id, page_id)
  const isChanged = title !== saved.title || body !== saved.body
  const wasOvertaken = !isNew && page !== undefined && page.version > version

  const save = useMutation({
    mutationFn: (over: number) =>
      isNew
        ? source.createPage(action, space.id, { title, body })
        : source.changePage(action, space.id, page_id, { title, body, if_version: over }),
    onSuccess: (made) => {
      forget()
      queries.setQueryData(pageQuery(source, space.id, made.id).queryKey, made)
      void queries.invalidateQueries({ queryKey: pagesQuery(source, space.id).queryKey })
      void navigate({ to: source.hrefs.page(space.id, made.id), replace: true })
    },
    onError: async (error) => {
      if (isNew || !['conflict', 'missing'].includes(problemOf(error).kind)) return
      // Somebody was first: what they saved is shown before anything is written over it.
      await queries.refetchQueries({ queryKey: pageQuery(source, space.id, page_id).queryKey })
      setComparing(problemOf(error).kind === 'conflict')
    },
  })
  const problem = save.isError ? problemOf(save.error) : undefined
  const isShown = problem !== undefined && problem.kind !== 'conflict'
  const trySave = () => {
    if (canWrite && !save.isPending && !isComparing) save.mutate(version)
  }
  const leave = () => {
    forget()
    void navigate({ to: back, replace: true })
  }

  return (
    <Page
      title={isNew ? 'New page' : `Edit ${saved.title}`}
      crumbs={[
        { label: source.label, to: source.hrefs.spaces },
        { label: space.name, to: source.hrefs.space(space.id) },
      ]}
      actions={
        <>
          {isChanged ? (
            <Button onClick={leave}>Discard</Button>
          ) : (
            <Link to={back} replace className={buttonClass({})} onClick={forget}>
              Cancel
            </Link>
          )}
          <Button
            look="primary"
            busy={save.isPending}
            disabled={!canWrite || isComparing}
            title={canWrite ? undefined : 'The server cannot be reached'}
            onClick={trySave}
          >
            Save
            <span className="hidden opacity-80 md:inline-flex">
              <KeyCap>{modKey} S</KeyCap>
            </span>
          </Button>
        </>
      }
    >
      {isComparing && page ? (
        <Conflict
          saved={page}
          draft={draft}
          busy={save.isPending}
          canWrite={canWrite}
          onMine={() => save.mutate(page.version)}
          onTheirs={leave}
          onEdit={() => {
            save.reset()
            // The next save is one over the version that was just compared.
            change({ ...draft, version: page.version })
            setComparing(false)
          }}
        />
      ) : (
        <>
          {isGone && (
            <Notice>
              Somebody has deleted this page. Your text is still here; saving makes it a new page.
            </Notice>
          )}
          {was_kept && !isGone && !wasOvertaken && isChanged && (
            <Notice quiet>This is your text from before, which was not saved.</Notice>
          )}
          {wasOvertaken && (
            <Notice action={<Button onClick={() => setComparing(true)}>Compare</Button>}>
              Somebody has saved version {page.version} meanwhile; you began with version {version}.
            </Notice>
          )}
          {isShown && (
            <div className="px-4 pt-3 md:px-5">
              <FormError problem={problem} />
            </div>
          )}
          <input
            value={title}
            aria-label="Title"
            placeholder="Title"
            dir="auto"
            // biome-ignore lint/a11y/noAutofocus: a new page begins with its title
            autoFocus={isNew}
            onChange={(event) => change({ ...draft, title: event.target.value })}
            onKeyDown={(event) => {
              if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's') return
              event.preventDefault()
              trySave()
            }}
            className="w-full shrink-0 border-line border-b bg-surface px-4 py-3 font-semibold text-page outline-none placeholder:text-ink-3 focus-visible:shadow-[inset_0_0_0_2px_var(--ch-focus)] md:px-5"
          />
          <Text body={body} onChange={(next) => change({ ...draft, body: next })} onSave={trySave} />
        </>
      )}
    </Page>
  )
}

interface NoticeProps {
  readonly quiet?: boolean
  readonly action?: ReactNode
  readonly children: ReactNode
}

function Notice({ quiet = false, action, children }: NoticeProps) {
  return (
    <div
      role="status"
      className={`flex shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-b px-4 py-2 md:px-5 ${quiet ? 'border-line bg-sunken text-ink-2' : 'border-warn-edge bg-warn-bg text-warn'}`}
    >
      {!quiet && <TriangleAlert size={14} className="shrink-0" aria-hidden />}
      <span className="min-w-0 grow">{children}</span>
      {action}
    </div>
  )
}

interface TextProps {
  readonly body: string
  readonly onChange: (body: string) => void
  readonly onSave: () => void
}

function Text(props: TextProps) {
  const isWide = useWide()
  if (isWide)
    return (
      <div className="flex min-h-0 grow">
        <div className="flex min-h-0 min-w-0 grow basis-0 flex-col">
          <MarkdownField value={props.body} onChange={props.onChange} onSave={props.onSave} />
        </div>
        <section
          aria-label="Preview"
          className="min-h-0 min-w-0 grow basis-0 overflow-y-auto border-line border-l bg-canvas"
        >
          <Preview body={props.body} />
        </section>
      </div>
    )
  return (
    <Tabs.Root defaultValue="write" className="flex min-h-0 grow flex-col">
      <Tabs.List className="flex shrink-0 gap-5 border-line border-b px-4">
        <TabName value="write">Write</TabName>
        <TabName value="preview">Preview</TabName>
      </Tabs.List>
      <Tabs.Panel value="write" className="flex min-h-0 grow flex-col outline-none">
        <MarkdownField value={props.body} onChange={props.onChange} onSave={props.onSave} />
      </Tabs.Panel>
      <Tabs.Panel value="preview" className="min-h-0 grow overflow-y-auto bg-canvas outline-none">
        <Preview body={props.body} />
      </Tabs.Panel>
    </Tabs.Root>
  )
}

function TabName({ value, children }: { readonly value: string; readonly children: ReactNode }) {
  return (
    <Tabs.Tab
      value={value}
      className="flex h-10 items-center border-transparent border-b-2 font-medium text-ink-2 data-active:border-ink data-active:text-ink"
    >
      {children}
    </Tabs.Tab>
  )
}

/** The page as it will be read; it follows the typing as fast as the machine can. */
function Preview({ body }: { readonly body: string }) {
  const shown = useDeferredValue(body)
  return (
    <div data-preview className="px-4 py-5 md:px-6">
      {shown.trim() === '' ? (
        <p className="text-ink-2">What you write is shown here as it will be read.</p>
      ) : (
        <Prose text={shown} below={2} />
      )}
    </div>
  )
}
