import type { Detail } from '@crewhall/contracts/refusal.ts'
import { refusalScript } from './refusal-script.rules.ts'

interface Script {
  readonly status: number
  readonly type: string
  readonly body: string
}

export const refuseInstall = (reason: { readonly status: number; readonly detail: Detail }): Script => ({
  status: reason.status,
  // Shown as text where a person opens it.
  type: 'text/plain; charset=utf-8',
  body: refusalScript(typeof reason.detail === 'string' ? reason.detail : JSON.stringify(reason.detail)),
})

/** DESK-14. There is no installer to render yet. */
export const renderInstaller = (): Script =>
  refuseInstall({
    status: 404,
    detail: 'The installer is not available on this installation. Nothing was changed on this machine.',
  })
