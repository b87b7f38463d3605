import type { FeatureKey } from '@crewhall/contracts/workspaces/features.ts'
import {
  Activity,
  FileText,
  Inbox,
  Layers,
  LayoutGrid,
  type LucideIcon,
  Settings,
  SlidersHorizontal,
  SquareCheck,
} from 'lucide-react'
import { paths } from '../app/paths.ts'

export interface Destination {
  readonly label: string
  readonly to: string
  readonly icon: LucideIcon
  /** After `G`. */
  readonly key?: string
  /** Absent while the feature is off. */
  readonly feature?: FeatureKey
  /** Boards stand in the sidebar themselves, below a heading that leads to their list. */
  readonly group: 'work' | 'boards' | 'crew' | 'end'
}

/** The pages that there are, in the order of the sidebar. A new page adds one line. */
export const destinations: readonly Destination[] = [
  { label: 'Inbox', to: paths.inbox, icon: Inbox, key: 'i', group: 'work' },
  { label: 'My work', to: paths.myWork, icon: SquareCheck, key: 'w', group: 'work' },
  { label: 'All cards', to: paths.all, icon: Layers, key: 'a', group: 'work' },
  { label: 'Activity', to: paths.activity, icon: Activity, group: 'boards' },
  { label: 'Boards', to: paths.boards, icon: LayoutGrid, key: 'b', group: 'boards' },
  { label: 'Coder profiles', to: paths.profiles, icon: SlidersHorizontal, key: 'p', group: 'crew' },
  { label: 'Documents', to: paths.docs, icon: FileText, key: 'd', group: 'work' },
  { label: 'Settings', to: paths.settings, icon: Settings, key: 's', group: 'end' },
]
