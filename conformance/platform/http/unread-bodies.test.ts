import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { describe, expect, test } from 'vitest'

const server = useSharedServer('probe')
const at = new World(server)
const path = '/api/v1/probe/auth/brands/1/things/00000000-0000-4000-8000-000000000001'

interface Line {
  readonly socket: Socket
  text(): string
}

/** Opens a line and writes the head of a request, and of its body only what is given. */
function begin(head: readonly string[], body = ''): Line {
  const { hostname, port } = new URL(server.api.url)
  const socket = connect({ host: hostname, port: Number(port) })
  let text = ''
  socket.on('data', (bytes) => {
    text += String(bytes)
  })
  socket.on('error', () => {})
  socket.write(`${head.join('\r\n')}\r\nHost: localhost\r\n\r\n${body}`)
  return { socket, text: () => text }
}

const json = 'Content-Type: application/json'

describe('a body that was announced and does not come', () => {
  test.each([
    ['nobody', ''],
    ['a token that nobody has', 'Authorization: Bearer chp_nobody'],
  ])(
    'K21 AUTH-09 keeps %s waiting for nothing: 401 at once, and the line is closed',
    async (_, credential) => {
      const head = [
        `PUT ${path} HTTP/1.1`,
        json,
        'Content-Length: 1000000',
        ...(credential ? [credential] : []),
      ]
      const { socket, text } = begin(head, '{')
      await waitFor(() => text().includes('\r\n\r\n'), 20_000)
      expect(text()).toMatch(/^HTTP\/1.1 401 /)
      await once(socket, 'close')
    },
  )

  test('K21 AUTH-25 is not waited for in another workspace either: 404 at once', async () => {
    const [mine, other] = [await at.newBrand(), await at.newBrand()]
    const [made] = await at.newTokens(await at.join(mine, 'admin'), ['brand:admin'], 1)
    const foreign = path.replace('brands/1/', `brands/${other}/`)
    const line = begin(
      [`PUT ${foreign} HTTP/1.1`, json, 'Content-Length: 1000000', `Authorization: Bearer ${made?.token}`],
      '{',
    )
    await waitFor(() => line.text().includes('\r\n\r\n'), 20_000)
    expect(line.text()).toMatch(/^HTTP\/1.1 404 /)
    line.socket.destroy()
  })
})

describe('Expect: 100-continue', () => {
  const expecting = (credential: string, brand: number) => [
    `PUT ${path.replace('brands/1/', `brands/${brand}/`)} HTTP/1.1`,
    json,
    'Content-Length: 2',
    'Expect: 100-continue',
    'Connection: close',
    credential,
  ]

  test('K21 is answered to a stranger with the refusal, and the body is never asked for', async () => {
    const { socket, text } = begin(expecting('Authorization: Bearer chp_nobody', 1))
    await once(socket, 'close')
    expect(text()).toMatch(/^HTTP\/1.1 401 /)
  })

  test('asks for the body of a caller who is let in', async () => {
    const brand = await at.newBrand()
    const [made] = await at.newTokens(await at.join(brand, 'admin'), ['brand:admin'], 1)
    const { socket, text } = begin(expecting(`Authorization: Bearer ${made?.token}`, brand))
    await waitFor(() => text().includes('\r\n\r\n'), 20_000)
    expect(text()).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    socket.write('{}')
    await once(socket, 'close')
    expect(text()).toContain('422 Unprocessable Entity')
    expect(text()).toContain('name: is required')
  })
})

test('K23 SYS-G4 a multipart form on a route that takes JSON is told so', async () => {
  const form = new FormData()
  form.append('depth', '2')
  const response = await server.get('/api/v1/probe/entries:near', { method: 'POST', body: form })
  expect([response.status, await response.json()]).toEqual([
    422,
    { detail: 'Content-Type must be application/json; this route takes no multipart form' },
  ])
})
