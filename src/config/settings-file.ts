/**
 * Settings from a JSON file: one object whose members are names of settings.
 *
 *     { "port": 8081, "dataDir": "/srv/dateline", "rateLimits": true, "corsOrigins": ["https://example.org"] }
 *
 * Values become the text of a flag, so that each setting is parsed in one way for every source.
 */
import { statSync } from 'node:fs'
import { isSea } from 'node:sea'
import { describe } from '../base/failure.ts'
import { isNumber, isObject, parseJson, type Json } from '../base/json.ts'
import { didYouMean } from '../base/nearest.ts'
import { publicChangeOf } from '../base/file-mode.ts'
import { readRegularFile } from '../base/regular-file.ts'
import { systemReason } from '../base/system-error.ts'

const FILE_BYTES_MAX = 1_048_576
const MACHINE_FILE = '/etc/dateline/dateline.json'

/**
 * The file of settings that belongs to the machine; undefined where there is none. A file that this user may not even look
 * for counts: without it a command would work on another data directory. The sources read none, so that a clone and its
 * tests do not depend on the machine.
 */
export function machineFile(): string | undefined {
  if (!isSea() || process.platform === 'win32') return undefined
  try {
    return statSync(MACHINE_FILE, { throwIfNoEntry: false }) === undefined ? undefined : MACHINE_FILE
  } catch {
    return MACHINE_FILE
  }
}

/** Texts by the names of settings. Throws an Error with one sentence: the file, what was found and what is wanted. */
export function readSettingsFile(path: string, known: readonly string[]): ReadonlyMap<string, string> {
  const wrong = (problem: string): Error => new Error(`Cannot use the settings in "${path}": ${problem}`)
  const settings = parsed(readText(path, wrong), wrong)
  if (!isObject(settings)) throw wrong(`expected a JSON object, found ${describe(settings)}`)
  return new Map(
    Object.entries(settings).map(([name, value]) => {
      if (!known.includes(name)) throw wrong(`there is no setting "${name}"${didYouMean(name, known)}`)
      const text = settingText(value)
      if (text !== undefined) return [name, text]
      throw wrong(`${name}: expected a text, a number, true, false or a list of texts, found ${describe(value)}`)
    }),
  )
}

function readText(path: string, wrong: (problem: string) => Error): string {
  try {
    // The file can name a program that gets the mail: a user who can change it can run any program as the service.
    const problem = publicChangeOf(path)
    if (problem !== undefined) throw new Error(`${problem}: run chmod go-w "${path}"`)
    return readRegularFile(path, FILE_BYTES_MAX)
      .toString()
      .replace(/^\ufeff/, '')
  } catch (error) {
    throw wrong(systemReason(error))
  }
}

function parsed(text: string, wrong: (problem: string) => Error): Json {
  try {
    return parseJson(text)
  } catch (error) {
    throw wrong(`it is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** A value of JSON as the text of a flag; undefined for one that no setting has. */
export function settingText(value: Json): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (isNumber(value)) return String(value)
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(',')
  return undefined
}
