import type { CardStatus } from '@crewhall/contracts/boards/card-fields.ts'
import type { Delivery } from '@crewhall/contracts/webhooks/deliveries.ts'
import {
  CircleCheck,
  CircleDashed,
  CircleDot,
  CircleSlash,
  CircleX,
  Eye,
  Hourglass,
  type LucideIcon,
  OctagonMinus,
} from 'lucide-react'
import { classNames } from './class-names.ts'
import { Pill } from './pill.tsx'

interface Shown {
  readonly word: string
  readonly icon: LucideIcon
  /** The colour is the third sign: icon and word say it already. */
  readonly mark: string
}

// One map for each kind of state, all in this file.
const cardStatuses: Readonly<Record<CardStatus, Shown>> = {
  pending: { word: 'To do', icon: CircleDashed, mark: 'text-idle-mark' },
  in_progress: { word: 'In progress', icon: CircleDot, mark: 'text-live-mark' },
  blocked: { word: 'Blocked', icon: OctagonMinus, mark: 'text-bad-mark' },
  review: { word: 'Review', icon: Eye, mark: 'text-review-mark' },
  done: { word: 'Done', icon: CircleCheck, mark: 'text-ok-mark' },
  canceled: { word: 'Canceled', icon: CircleSlash, mark: 'text-idle-mark' },
}

export const cardStatusWord = (status: CardStatus): string => cardStatuses[status].word

export function CardStatusIcon({
  status,
  label = true,
}: {
  readonly status: CardStatus
  readonly label?: boolean
}) {
  const { word, icon: Icon, mark } = cardStatuses[status]
  return (
    <Icon
      size={16}
      strokeWidth={1.75}
      className={classNames('shrink-0', mark)}
      {...(label ? { 'aria-label': word, role: 'img' } : { 'aria-hidden': true })}
    />
  )
}

const pillTones = {
  pending: 'idle',
  in_progress: 'live',
  blocked: 'bad',
  review: 'review',
  done: 'ok',
  canceled: 'idle',
} as const

/** The column says more than the state, so its name replaces the word. */
export function CardStatusPill({ status, word }: { readonly status: CardStatus; readonly word: string }) {
  return (
    <Pill tone={pillTones[status]} icon={cardStatuses[status].icon}>
      <span className="truncate" title={word}>
        {word}
      </span>
    </Pill>
  )
}

const deliveryStatuses: Readonly<Record<Delivery['status'], Shown>> = {
  pending: { word: 'Waiting', icon: Hourglass, mark: 'text-warn' },
  delivered: { word: 'Delivered', icon: CircleCheck, mark: 'text-ok' },
  failed: { word: 'Failed', icon: CircleX, mark: 'text-bad' },
}

export function DeliveryStatus({ status }: { readonly status: Delivery['status'] }) {
  const { word, icon: Icon, mark } = deliveryStatuses[status]
  return (
    <span className={classNames('inline-flex items-center gap-1.5', mark)}>
      <Icon size={14} strokeWidth={1.75} className="shrink-0" aria-hidden />
      {word}
    </span>
  )
}
