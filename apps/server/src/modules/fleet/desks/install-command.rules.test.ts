import { expect, test } from 'vitest'
import { installCommands } from './install-command.rules.ts'

const facts = {
  install_url: 'https://get.example.com',
  base_url: 'https://crew.example.com',
  pat: 'dsk_x',
  desk_id: '0197a1b2-0000-7000-8000-000000000001',
  runtime: 'codex',
} as const

test('DESK-12 to DESK-15: the commands, to the letter', () => {
  const line =
    "curl -sSL 'https://get.example.com/install/sidecar?pat=dsk_x&env_id=0197a1b2-0000-7000-8000-000000000001&url=https%3A%2F%2Fcrew.example.com&runtime=codex' | "
  expect(installCommands(facts)).toEqual({
    install_command: `${line}bash`,
    install_command_sudo: `${line}sudo bash`,
  })
})

test('a slash at the end of an address is dropped', () => {
  const addresses = { install_url: 'https://get.example.com/', base_url: 'https://crew.example.com//' }
  expect(installCommands({ ...facts, ...addresses })).toEqual(installCommands(facts))
})

test('DESK-G2: nothing in an address ends the quotes', () => {
  const { install_command } = installCommands({
    ...facts,
    install_url: "https://get.example.com/a'b",
    base_url: "https://crew.example.com/c'd e&f",
  })
  expect(install_command.split("'")).toHaveLength(3)
  expect(install_command).toContain('&url=https%3A%2F%2Fcrew.example.com%2Fc%27d%20e%26f&')
})
