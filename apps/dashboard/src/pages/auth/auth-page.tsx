import { routesIn } from '@crewhall/contracts/routes-in.ts'
import * as system from '@crewhall/contracts/system/system.ts'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { apiOf } from '../../api/api.ts'
import { classNames } from '../../ui/class-names.ts'
import { Logo } from '../../ui/logo.tsx'
import { Hall } from './hall.tsx'

const api = apiOf({ system: routesIn(system) })

interface AuthPageProps {
  readonly title: string
  readonly lead: ReactNode
  readonly children: ReactNode
}

/**
 * The pages before somebody is signed in: a form left, the idea as a picture right. The form begins at a fixed height, or
 * higher where it is long: a refusal moves nothing above it.
 */
export function AuthPage({ title, lead, children }: AuthPageProps) {
  useEffect(() => {
    document.title = `${title} · Crewhall`
  }, [title])
  return (
    <div className="flex min-h-dvh bg-surface">
      <div className="flex min-w-0 grow basis-0 flex-col px-6 pt-9 pb-8 md:px-11 lg:basis-1/2 lg:grow-0">
        <div className="flex items-center gap-2.5 font-semibold text-[17px]">
          <Logo size={26} />
          Crewhall
        </div>
        <main className="mx-auto flex w-full max-w-85 grow flex-col pb-10 before:max-h-[25dvh] before:min-h-10 before:grow before:content-['']">
          <h1 className="font-semibold text-display">{title}</h1>
          <div className="mb-6 text-ink-2 text-read">{lead}</div>
          {children}
        </main>
        <Health />
      </div>
      <Hall />
    </div>
  )
}

/** Whether the installation works, before somebody looks for the fault in a password. */
function Health() {
  const health = useQuery({
    queryKey: ['health'],
    queryFn: async ({ signal }) => (await api.reading(signal).system.getHealth()).body.status,
  })
  const info = useQuery({
    queryKey: ['info'],
    queryFn: async ({ signal }) => (await api.reading(signal).system.getInfo()).body,
  })
  const [mark, words] = health.isError
    ? ['bg-bad-mark', 'The server cannot be reached']
    : health.data === 'degraded'
      ? ['bg-warn-mark', 'A service is away']
      : ['bg-ok-mark', 'All services respond']
  return (
    <footer className="flex h-5 items-center gap-4 text-ink-2 text-meta">
      {(health.data !== undefined || health.isError) && (
        <span className="flex items-center gap-2">
          <span className={classNames('size-1.5 rounded-full', mark)} aria-hidden />
          {words}
        </span>
      )}
      {info.data && (
        <span className="ml-auto flex gap-4">
          {info.data.version}
          <a href={info.data.docs_url} className="text-link hover:underline">
            API
          </a>
        </span>
      )}
    </footer>
  )
}
