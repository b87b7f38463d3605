import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const folder = resolve(import.meta.dirname, '../../../deploy/production/ha')

export const readShipped = (name: string): string => readFileSync(join(folder, name), 'utf8')

/** The settings of a shipped file, with some of its values replaced. A name that the file does not have is an error. */
export function fillEnvironment(file: string, values: Record<string, string>): Record<string, string> {
  const lines = readShipped(file).matchAll(/^([A-Z][A-Z0-9_]*)=(.*)$/gm)
  const settings = Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]))
  for (const name of Object.keys(values))
    if (settings[name] === undefined) throw new Error(`${file} has no setting ${name}`)
  return { ...settings, ...values }
}

/** A shipped file of lines `name = value`, with some of its values replaced. */
export function fillLines(file: string, values: Record<string, string>): string {
  let text = readShipped(file)
  for (const [name, value] of Object.entries(values)) {
    const line = new RegExp(`^${name.replace('*', '\\*')} =.*$`, 'm')
    if (!line.test(text)) throw new Error(`${file} has no setting ${name}`)
    text = text.replace(line, `${name} = ${value}`)
  }
  return text
}

/** All of a shipped file of lines `name = value`, without quotes. */
export const readLines = (file: string): Record<string, string> =>
  Object.fromEntries(
    [...readShipped(file).matchAll(/^([a-z_]+) = '?(.*?)'?$/gm)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  )
