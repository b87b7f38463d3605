import { defaultBoardTools } from './board-tools.ts'
import { help, whoami } from './core-tools.ts'
import { knowledgeTools, lessonsNear, memoryTool } from './knowledge-tools.ts'
import { planningTools } from './planning-tools.ts'
import type { Tool } from './tool.ts'
import { workspaceTools } from './workspace-tools.ts'

/** Every tool of the product, in the order in which they are listed. */
export const tools: readonly Tool[] = [
  whoami,
  ...defaultBoardTools,
  lessonsNear,
  memoryTool,
  help,
  ...planningTools,
  ...knowledgeTools,
  ...workspaceTools,
]

/** Names that `toolsets` takes; `default` is what a caller gets without asking. */
export const toolsets: readonly string[] = [...new Set(tools.map(({ toolset }) => toolset))]
