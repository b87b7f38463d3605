interface Upload {
  readonly method?: string
  readonly headers: Headers
  readonly body?: BodyInit | null
  readonly signal: AbortSignal
}

/** `fetch` does not tell how much of a body has been sent; the older way does. */
export function fetchWithProgress(
  url: string,
  { method = 'POST', headers, body, signal }: Upload,
  onProgress: (part: number) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(method, url)
    for (const [name, value] of headers) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total)
    request.onload = () => {
      const told = new Headers()
      for (const line of request.getAllResponseHeaders().trim().split(/\r?\n/)) {
        const [, name, value] = /^([^:]+):\s*(.*)$/s.exec(line) ?? []
        if (name !== undefined && value !== undefined) told.append(name, value)
      }
      resolve(new Response(request.responseText, { status: request.status, headers: told }))
    }
    request.onerror = () => reject(new TypeError('the upload got no response'))
    request.onabort = () => reject(signal.reason)
    if (signal.aborted) {
      reject(signal.reason)
      return
    }
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(body as XMLHttpRequestBodyInit)
  })
}
