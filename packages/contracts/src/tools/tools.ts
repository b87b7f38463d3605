import { boardsTool, cardsSearch, help, whoami } from './default-tools.ts'
import type { Tool } from './tool.ts'

/** Every tool of the product, in the order in which they are listed. */
export const tools: readonly Tool[] = [whoami, boardsTool, cardsSearch, help]

/** Names that `toolsets` takes; `default` comes without asking. */
export const toolsets: readonly string[] = [...new Set(tools.map(({ toolset }) => toolset))]
