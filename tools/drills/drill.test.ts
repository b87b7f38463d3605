import { expect, test } from 'vitest'
import { chooseDrills, countRows, type Drill, drillTable, runDrills } from './drill.ts'

const drill = (name: string, more: Partial<Drill>): Drill => ({
  name,
  obstacle: async () => undefined,
  run: async () => {},
  ...more,
})

test('a drill that cannot run is told with its reason and counts as nothing, and later ones run', async () => {
  const told: string[] = []
  const rows = await runDrills(
    [
      drill('first', { obstacle: async () => 'buildah is not installed' }),
      drill('second', {
        run: async (check) => {
          await check('fails', async () => {
            throw new Error('too large\nby far')
          })
          await check('passes', async () => [1, 'one'])
        },
      }),
      drill('third', { run: () => Promise.reject(new Error('no base')) }),
      drill('fourth', { obstacle: () => Promise.reject(new Error('no package')) }),
    ],
    (line) => told.push(line),
  )
  expect(rows.map(({ drill, check, outcome, note }) => [drill, check, outcome, note])).toEqual([
    ['first', 'all', 'not run', 'buildah is not installed'],
    ['second', 'fails', 'failed', 'too large\nby far'],
    ['second', 'passes', 'passed', 'one'],
    ['third', 'preparation', 'failed', 'no base'],
    ['fourth', 'preparation', 'failed', 'no package'],
  ])
  expect(told).toContain('failed: second: fails (too large\nby far)')
  expect(countRows(rows)).toBe('1 passed, 3 failed, 1 not run')
  expect(drillTable(rows.map((row) => ({ ...row, seconds: 1 }))).split('\n')[1]).toBe(
    'second  fails        failed   1.0 s  too large',
  )
})

test('a size has the drills that are no larger, and names choose any', () => {
  const all = [drill('proxy', { least: 'short' }), drill('image', {}), drill('previous', { least: 'full' })]
  const chosen = (...args: [Parameters<typeof chooseDrills>[1], string[]]) =>
    chooseDrills(all, ...args).map(({ name }) => name)
  expect(chosen('short', [])).toEqual(['proxy'])
  expect(chosen('usual', [])).toEqual(['proxy', 'image'])
  expect(chosen('full', [])).toEqual(['proxy', 'image', 'previous'])
  expect(chosen('usual', ['previous'])).toEqual(['previous'])
})
