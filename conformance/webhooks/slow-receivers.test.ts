import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { expect, test } from 'vitest'
import { arrived, hookEnv, useHookWorld } from './hook-world.ts'

const server = useServer('product', hookEnv)
const world = useHookWorld(server)

const workspaces = 4
const endpoints = 16

test('S12: while 64 receivers of four workspaces hang, the delivery of a fifth starts within 5 s', async () => {
  const quick = await world.newReceiver()
  const fifth = await world.newAdmin()
  await fifth.open(quick.url)
  const hanging = await Promise.all(
    Array.from({ length: workspaces }, async () => {
      const admin = await world.newAdmin()
      const receivers = await Promise.all(Array.from({ length: endpoints }, () => world.newReceiver()))
      for (const receiver of receivers) {
        receiver.answer = () => 'hang'
        await admin.open(receiver.url)
      }
      return { admin, receivers }
    }),
  )
  const worker = await server.start('worker', { HTTP_DRAIN_MS: '0' })
  await Promise.all(hanging.map(({ admin }) => admin.workspace.board()))
  const taken = () =>
    hanging.flatMap(({ receivers }) => receivers).filter(({ received }) => received.length > 0).length
  await waitFor(() => taken() >= 40, 30_000)
  const began = performance.now()
  await fifth.workspace.board()
  await arrived(quick, 1)
  const delay = performance.now() - began
  console.log(`the fifth workspace waited ${delay.toFixed(0)} ms`)
  expect(delay).toBeLessThan(5000)
  // Each of the four got places, and nobody the last ones.
  expect(taken()).toBeGreaterThanOrEqual(40)
  for (const { receivers } of hanging) {
    // Whoever came last gets what is kept free for those who hold few; a sender that waits cannot be sent away.
    expect(receivers.filter(({ received }) => received.length > 0).length).toBeGreaterThan(0)
  }
  await worker.stop()
})
