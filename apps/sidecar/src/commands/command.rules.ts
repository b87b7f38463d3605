import { DeskCommand } from '@crewhall/contracts/fleet/desk-protocol.ts'

/** Undefined for what is no command, names another desk or has expired by the clock of the service. */
export function commandFor(envId: string, payload: string, serverTime: string): DeskCommand | undefined {
  const command = DeskCommand.safeParse(jsonOf(payload)).data
  if (command === undefined || command.desk_id !== envId) return undefined
  return Date.parse(command.expires_at) > Date.parse(serverTime) ? command : undefined
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
