import type { Context } from '../context.ts'
import { cancelled, failed } from '../failure.ts'
import { visibleLine } from '../output/visible.ts'

/** Asks before something is taken away. A script has to say `--yes`: nobody is there to be asked. */
export async function confirmed(context: Context, question: string): Promise<void> {
  if (context.flags.yes) return
  if (!context.mayAsk) throw failed('this takes something away', 'repeat it with --yes')
  const { confirm, isCancel } = await import('@clack/prompts')
  const answer = await confirm({
    message: visibleLine(question),
    initialValue: false,
    output: process.stderr,
  })
  if (isCancel(answer) || !answer) throw cancelled()
}
