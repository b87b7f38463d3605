import type { OutboundFailure } from '#platform/outbound/outbound-call.ts'

export type ToolServerFailure =
  | OutboundFailure
  /** It sends callers elsewhere. Nobody follows: the credential is for this address alone. */
  | 'redirected'
  /** It does not accept the credential, or there is none. */
  | 'unauthorized'
  /** The credential cannot be sent. */
  | 'credential'
  | 'status'
  /** It wants to ask something back, which nobody is there to answer. */
  | 'asks_back'
  /** Its tools cannot be shown. */
  | 'definitions'
  /** It knows no such tool, or returned an error instead of a list. */
  | 'error'
  | 'busy'

const sentences: Readonly<Record<ToolServerFailure, string>> = {
  address: 'The address of the tool server may not be called',
  unresolved: 'The name of the tool server was not found',
  unreachable: 'The connection to the tool server failed or ended early',
  tls: 'The certificate of the tool server is not valid for its name',
  timeout: 'The tool server did not respond in time',
  too_large: 'The response of the tool server is too large',
  protocol: 'The response of the tool server does not follow the Model Context Protocol',
  aborted: 'The call was taken back',
  redirected: 'The tool server redirects to another address, which is not followed',
  unauthorized: 'The tool server does not accept the credential of this package',
  credential: 'The credential of this package cannot be sent as a header',
  status: 'The tool server returned an HTTP error',
  asks_back: 'The tool asks for more input, which is not supported for outside tools',
  definitions: 'The tools of this server cannot be used',
  error: 'The tool server returned an error',
  busy: 'Too many calls to outside tools are running; try again in a moment',
}

/** Why a tool server was of no use. The text is ours: nothing of what the server said is in it. */
export class ToolServerFault extends Error {
  readonly failure: ToolServerFailure
  readonly detail: string

  constructor(failure: ToolServerFailure, more?: string) {
    const detail = more === undefined ? sentences[failure] : `${sentences[failure]}: ${more}`
    super(detail)
    this.name = 'ToolServerFault'
    this.failure = failure
    this.detail = detail
  }
}
