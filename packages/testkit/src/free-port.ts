import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

// Below the range from which the kernel takes ports for outgoing connections (32768 and up): there, any connection of
// the machine could take a port between the look and the use.
const lowest = 20_000
const count = 12_000
/** A process of ours takes the next one or two for itself: the worker's metrics stand one above the API's. */
const step = 4

// Test files run side by side, each in a process of its own: each begins elsewhere and goes up.
let next = (process.pid * 16) % count

/** A port that nobody holds now, nor the next three, for what must know its own before it starts; no other process gets it. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < count / step; tries += 1) {
    const port = lowest + next
    next = (next + step) % count
    if ((await reserve(port)) && (await areFree(port))) return port
  }
  throw new Error(`no port is free from ${lowest} to ${lowest + count}`)
}

/** By an abstract socket, which ends with the process. Processes whose ranges overlap would find the same ports free. */
async function reserve(port: number): Promise<boolean> {
  const reservation = createServer().unref()
  return listens(reservation, `\0crewhall-free-port-${port}`)
}

async function areFree(first: number): Promise<boolean> {
  for (let port = first; port < first + step; port += 1) if (!(await isFree(port))) return false
  return true
}

async function isFree(port: number): Promise<boolean> {
  // On all addresses: a port is taken for a server on 127.0.0.1 if somebody holds it on any.
  const holder = createServer()
  if (!(await listens(holder, port))) return false
  holder.close()
  await once(holder, 'close')
  return true
}

async function listens(server: Server, place: number | string): Promise<boolean> {
  server.listen(place)
  try {
    await once(server, 'listening')
    return true
  } catch {
    return false
  }
}
