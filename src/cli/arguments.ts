/**
 * From the words of a command line to operands, options and settings. An unknown flag is an error that suggests the
 * nearest name.
 */
import { didYouMean } from '../base/nearest.ts'
import { SETTINGS, type SettingName } from '../config/settings.ts'
import { UsageError, type Arguments, type Command } from './command.ts'

interface Flag {
  readonly takesValue: boolean
  /** A switch is on when the flag stands alone. */
  readonly isSwitch: boolean
  set(value: string): void
}

/**
 * Reads operands, `--name value`, `--name=value` and switches, which may stand alone. After `--` all words are operands
 * (POSIX utility conventions, guideline 10), so that a file may be called `-x`. Throws UsageError.
 */
export function parseArguments(command: Command, words: readonly string[]): Arguments {
  const options = new Map<string, string>()
  const settings = new Map<SettingName, string>()
  const flags = new Map<string, Flag>()
  for (const { flag, value } of command.options) {
    flags.set(flag, { takesValue: value !== undefined, isSwitch: false, set: (given) => options.set(flag, given) })
  }
  for (const { name, flag, isSwitch } of SETTINGS) {
    if (!takesSetting(command, name)) continue
    flags.set(flag, { takesValue: true, isSwitch, set: (given) => settings.set(name, given) })
  }
  const seen = new Set<string>()
  const operands: string[] = []
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    if (word === '--') {
      operands.push(...words.slice(i + 1))
      break
    }
    if (!word.startsWith('-') || word === '-') {
      operands.push(word)
      continue
    }
    const equals = word.indexOf('=')
    const name = equals === -1 ? word : word.slice(0, equals)
    const flag = flags.get(name)
    if (flag === undefined) throw unknown(command, name, [...flags.keys()])
    if (seen.has(name)) throw new UsageError(`${name} is given twice`)
    seen.add(name)
    if (equals !== -1) {
      if (!flag.takesValue) throw new UsageError(`${name} takes no value`)
      flag.set(word.slice(equals + 1))
    } else if (!flag.takesValue) flag.set('')
    else if (flag.isSwitch && (words[i + 1] ?? '-').startsWith('-')) flag.set('on')
    else {
      const value = words[++i]
      if (value === undefined) throw new UsageError(`${name} needs a value`)
      // Where the value was forgotten, as in "--to --json", the next flag must not become a file name.
      if (flags.has(value)) throw new UsageError(`${name} needs a value, found ${value}`)
      flag.set(value)
    }
  }
  return { operands: checkedOperands(command, operands), options, settings }
}

export function takesSetting({ settings }: Command, name: SettingName): boolean {
  return settings.includes(name) || (name === 'config' && settings.length > 0)
}

function checkedOperands({ name, operands: wanted = [] }: Command, found: readonly string[]): readonly string[] {
  const missing = wanted[found.length]
  if (missing !== undefined && missing.isOptional !== true) throw new UsageError(`dateline ${name} needs ${missing.name}: ${missing.meaning}`)
  const extra = found[wanted.length]
  if (extra !== undefined) {
    const names = wanted.map((one) => one.name).join(' ')
    throw new UsageError(`dateline ${name} takes ${names === '' ? `no argument "${extra}"` : `${names} and nothing behind it, found "${extra}"`}`)
  }
  return found
}

function unknown(command: Command, word: string, known: readonly string[]): UsageError {
  return new UsageError(`Unknown flag "${word}"${didYouMean(word, known, '--') || `: see "dateline help ${command.name}"`}`)
}
