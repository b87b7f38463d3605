import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import { createDoor } from '#platform/gate/door.ts'
import { doorIn, type GateOptions } from '#platform/gate/gate-options.ts'
import { createRelay } from '#platform/gate/relay.ts'

/**
 * A process of its own in the network of peers, without rights and without secrets: what peers send is read here, and what
 * is asked of them goes out here. It ends with whoever started it.
 */
const options = JSON.parse(process.argv[2] ?? '{}') as GateOptions
process.stdin.on('end', () => process.exit(0)).resume()

const relay = createRelay(options)
relay.listen(options.port, options.address)
await once(relay, 'listening')

const path = doorIn(options.folder)
rmSync(path, { force: true })
const door = createDoor(options.networks)
door.listen(path)
await once(door, 'listening')
// For workers of the same group.
chmodSync(path, 0o660)
process.stdout.write('open\n')
