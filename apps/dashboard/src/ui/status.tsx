import type { CardStatus } from '@crewhall/contracts/boards/card-fields.ts'
import {
  CircleCheck,
  CircleDashed,
  CircleDot,
  CircleSlash,
  Eye,
  type LucideIcon,
  OctagonMinus,
} from 'lucide-react'
import { classNames } from './class-names.ts'

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
