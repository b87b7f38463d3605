import { useQuery } from '@tanstack/react-query'
import { lazyRouteComponent } from '@tanstack/react-router'
import { type ComponentType, lazy } from 'react'
import { NoAnswer } from '../api/own-fetch.ts'
import { ErrorState } from '../ui/states.tsx'

type Read<Props> = () => Promise<ComponentType<Props>>

interface LaterProps<Props> {
  readonly name: string
  readonly read: Read<Props>
  readonly isPage: boolean
  readonly given: Props
}

const againMs = 4000

/**
 * Whether the server has pages for people again. Then a script that still cannot be read never will be: browsers may
 * remember that it could not be had (Chromium 150 does, 156 does not), and a new release has other names for its scripts.
 */
async function isServed(): Promise<boolean> {
  try {
    const { ok } = await fetch(location.href, { headers: { accept: 'text/html' }, cache: 'no-store' })
    return ok
  } catch {
    return false
  }
}

const reloadedKey = 'crewhall.reloaded-at'
const betweenReloadsMs = 60_000

/** Once in a while: a script that is missing for good must not make the page reload for ever. */
function reload(): void {
  try {
    if (Date.now() - Number(sessionStorage.getItem(reloadedKey)) < betweenReloadsMs) return
    sessionStorage.setItem(reloadedKey, String(Date.now()))
  } catch {
    // Without a storage nobody knows whether this is the first time, so the person has to do it.
    return
  }
  location.reload()
}

/** Between the first try and the question whether it serves, the server may have come back. */
async function readOnceServed<Part>(read: () => Promise<Part>, isPage: boolean): Promise<Part | undefined> {
  if (!(await isServed())) return undefined
  return read().catch(() => {
    if (isPage) reload()
    return undefined
  })
}

/**
 * Stands for a script that could not be read, and reads it again until it can be. The router would reload the whole page at
 * once, and what a proxy shows while the server is away knows nothing of what was typed.
 */
function Later<Props extends object>({ name, read, isPage, given }: LaterProps<Props>) {
  const { data, error, refetch } = useQuery({
    queryKey: ['script', name],
    queryFn: async () => {
      const part = (await read().catch(() => undefined)) ?? (await readOnceServed(read, isPage))
      if (!part) throw new NoAnswer('network', undefined, 0)
      return { Part: part }
    },
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
    refetchInterval: ({ state }) => (state.status === 'error' ? againMs : false),
  })
  if (data) return <data.Part {...given} />
  if (!isPage || !error) return null
  return (
    <main className="flex min-h-0 grow">
      <ErrorState error={error} what="The page" onRetry={() => void refetch()} />
    </main>
  )
}

let count = 0

function readLater<Props extends object>(read: Read<Props>, isPage: boolean): ComponentType<Props> {
  const name = String(count++)
  return (given) => <Later name={name} read={read} isPage={isPage} given={given} />
}

/** A page whose script is read when somebody goes there. */
export const latePage = <Name extends string>(
  read: () => Promise<Record<Name, ComponentType>>,
  name: Name,
) => {
  const one = async () => (await read())[name]
  return lazyRouteComponent(async () => ({ Page: await one().catch(() => readLater(one, true)) }), 'Page')
}

/** A part of a page whose script is read when it is needed. */
export const latePart = <Props extends object>(read: Read<Props>) =>
  lazy(async () => ({ default: await read().catch(() => readLater(read, false)) }))
