import { adminRequired, platformAdminRequired } from '@crewhall/contracts/identity/refusals.ts'
import { Link } from '@tanstack/react-router'
import { CircleAlert, LockKeyhole, type LucideIcon, RotateCcw, Shield, WifiOff } from 'lucide-react'
import { type ReactNode, useContext, useEffect, useState } from 'react'
import { problemOf } from '../api/problem.ts'
import { Button, buttonClass } from './button.tsx'
import { classNames } from './class-names.ts'
import { CommandLine, CopyButton, CopyText } from './copy-button.tsx'
import { RefusedPlace } from './refused-place.ts'

interface StateProps {
  readonly icon: LucideIcon
  readonly tone?: 'idle' | 'bad'
  readonly title: string
  readonly children?: ReactNode
  /** One button. */
  readonly action?: ReactNode
  /** One line for the terminal. */
  readonly command?: string
}

/** What a page or list shows instead of its content: one sentence, one action, one line for the terminal. */
export function State({ icon: Icon, tone = 'idle', title, children, action, command }: StateProps) {
  return (
    <div className="flex grow flex-col items-center justify-center px-5 py-12 text-center">
      <span
        className={classNames(
          'mb-4 flex size-10 items-center justify-center rounded-card',
          tone === 'bad' ? 'bg-bad-bg text-bad' : 'bg-sunken text-ink-2',
        )}
      >
        <Icon size={20} strokeWidth={1.75} aria-hidden />
      </span>
      <h2 className="font-semibold text-read">{title}</h2>
      {children !== undefined && <div className="mt-1 max-w-96 text-ink-2">{children}</div>}
      {action && <div className="mt-4 flex flex-wrap items-center justify-center gap-2">{action}</div>}
      {command !== undefined && (
        <div className="mt-3 max-w-full">
          <CommandLine>{command}</CommandLine>
        </div>
      )}
    </div>
  )
}

interface ErrorProps {
  readonly error: unknown
  /** What could not be shown, such as "The boards". */
  readonly what: string
  readonly onRetry: () => void
}

/** A read that failed: what, why, that nothing changed, and the id to ask about. */
export function ErrorState({ error, what, onRetry }: ErrorProps) {
  const { kind, text, request_id } = problemOf(error)
  if (kind === 'forbidden') return <NoPermission text={text} what={what} />
  const isMissing = kind === 'missing'
  return (
    <State
      icon={kind === 'offline' ? WifiOff : CircleAlert}
      tone="bad"
      title={isMissing ? `${what} cannot be found` : `${what} could not be loaded`}
      action={
        <>
          {isMissing ? (
            <Button onClick={() => history.back()}>Go back</Button>
          ) : (
            <Button onClick={onRetry}>
              <RotateCcw size={14} aria-hidden />
              Try again
            </Button>
          )}
          {request_id !== undefined && <RequestId id={request_id} />}
        </>
      }
    >
      <p>{/[.!?]$/.test(text) ? text : `${text}.`}</p>
      {!isMissing && <p>Nothing was changed.</p>}
    </State>
  )
}

interface RequestIdProps {
  readonly id: string
  /** In a column; the whole of it is copied. */
  readonly isShort?: boolean
}

export function RequestId({ id, isShort = false }: RequestIdProps) {
  return (
    <span
      className="inline-flex max-w-full items-center gap-0.5 font-mono text-ink-3 text-micro"
      title={isShort ? id : undefined}
    >
      <span className="sr-only">Request id</span>
      <span className={isShort ? 'truncate' : undefined}>{id}</span>
      <CopyButton text={id} label="the request id" />
    </span>
  )
}

/** Who may see it instead, and where to go. */
export function NoPermission({ text, what }: { readonly text: string; readonly what: string }) {
  const { Who, back } = useContext(RefusedPlace)
  // Those of the installation are no matter of a workspace.
  const isOfPlatform = text === platformAdminRequired.text
  const who = isOfPlatform ? 'platform admins' : text === adminRequired.text ? 'admins' : undefined
  return (
    <State
      icon={Shield}
      title={who === undefined ? 'You may not see this' : `Only ${who} see ${what.replace(/^The /, 'the ')}`}
      action={
        back && (
          <Link to={back.to} className={buttonClass({})}>
            Back to {back.label}
          </Link>
        )
      }
    >
      {who === undefined && `${text}. `}
      {isOfPlatform ? (
        'Ask whoever runs this installation.'
      ) : Who ? (
        <Who />
      ) : (
        'Ask an admin of the workspace.'
      )}
    </State>
  )
}

interface FeatureProps {
  readonly name: string
  readonly icon: LucideIcon
  readonly holds: string
  readonly isLocked: boolean
  /** None for those who may not switch it. */
  readonly action?: ReactNode
}

/** A page whose feature is off, or not in the plan: what there is stays. */
export function FeatureOff({ name, icon, holds, isLocked, action }: FeatureProps) {
  if (isLocked)
    return (
      <State
        icon={LockKeyhole}
        title={`${name} is not in your plan`}
        action={
          <CopyText text={`Add ${name} to our plan, so that we can use ${location.href}`}>
            Copy a request
          </CopyText>
        }
      >
        Ask whoever runs this installation to add it. Nothing you have is affected.
      </State>
    )
  return (
    <State icon={icon} title={`${name} is switched off`} action={action}>
      <p>{holds}</p>
      <p>{!action ? 'An admin can switch it on.' : 'You are an admin and can switch it on.'}</p>
    </State>
  )
}

/** Rows in the shape of a list, after 200 ms: what comes at once needs no sketch. */
export function SkeletonRows({ rows = 5 }: { readonly rows?: number }) {
  const isLate = useLate()
  return (
    <div aria-busy className="divide-y divide-line">
      <span className="sr-only">Loading</span>
      {isLate &&
        Array.from({ length: rows }, (_, row) => (
          <div key={String(row)} className="flex h-[var(--ch-row-2)] items-center gap-3 px-4">
            <span className="size-7 animate-skeleton rounded-control bg-idle-bg" />
            <span className="flex grow flex-col gap-2">
              <span
                className="h-2 animate-skeleton rounded-tag bg-idle-bg"
                style={{ width: `${55 - row * 6}%` }}
              />
              <span
                className="h-2 animate-skeleton rounded-tag bg-idle-bg"
                style={{ width: `${34 - row * 4}%` }}
              />
            </span>
            <span className="h-2 w-14 animate-skeleton rounded-tag bg-idle-bg" />
          </div>
        ))}
    </div>
  )
}

export function useLate(): boolean {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 200)
    return () => clearTimeout(timer)
  }, [])
  return isLate
}
