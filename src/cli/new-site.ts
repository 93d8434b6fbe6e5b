/** Commands that work in a new site ask before they make one: --data-dir may be missing or mistyped. */
import { resolve } from 'node:path'
import { readConfig } from '../config/read-config.ts'
import { hasDatabaseFile } from '../store/db/data-dir.ts'
import { SETTINGS } from '../config/settings.ts'
import { commandHere } from '../config/command-here.ts'
import { UsageError, type Arguments, type Terminal } from './command.ts'
import { isAnsweredYes } from './question.ts'

export const NEW_SITE_FLAG = {
  flag: '--yes',
  meaning: 'make a new site in an empty directory without asking; needed where there is no terminal to ask on',
} as const

/**
 * Names the directory to a person, and asks before a new site is made in it; `name` is that of the command. False for a person who does not want one. Throws UsageError where there is no terminal to ask on.
 */
export async function mayUseSite(args: Arguments, terminal: Terminal, name: string): Promise<boolean> {
  const { settings, options } = args
  const { environment, stderr, stderrIsTerminal } = terminal
  const config = readConfig(settings, environment)
  const directory = resolve(config.dataDir)
  if (hasDatabaseFile(directory) || options.has(NEW_SITE_FLAG.flag)) {
    if (stderrIsTerminal) stderr.write(`The site in "${directory}":\n`)
    return true
  }
  if (!stderrIsTerminal) {
    const command = commandHere(`${[name, ...flagsOf(args)].join(' ')} ${NEW_SITE_FLAG.flag}`, config)
    throw new UsageError(`There is no site in "${directory}": name the directory of yours with --data-dir, or make a new one there: ${command}`)
  }
  if (await isAnsweredYes(terminal, `There is no site in "${directory}". Make a new one there?`)) return true
  stderr.write('Nothing was made: name the directory of the site with --data-dir\n')
  return false
}

/** The flags as they were typed, but for the directory, which the suggested command names in full. */
function flagsOf({ options, settings }: Arguments): readonly string[] {
  const typed = SETTINGS.flatMap(({ name, flag }): [string, string][] => {
    const value = name === 'dataDir' ? undefined : settings.get(name)
    return value === undefined ? [] : [[flag, value]]
  })
  return [...options, ...typed].map(([flag, value]) => (value === '' ? flag : `${flag} ${/^[\w.:/@-]+$/.test(value) ? value : JSON.stringify(value)}`))
}
