/** A command of this program as it is typed where it was started: in a clone, or with the executable by its name. */
import { resolve } from 'node:path'
import { isSea } from 'node:sea'
import { DECLARED, type Config } from './settings.ts'

export function commandHere(words: string, { dataDir }: Pick<Config, 'dataDir'>): string {
  const dataDirFlag = dataDir === DECLARED.dataDir.initial ? '' : ` --data-dir ${JSON.stringify(resolve(dataDir))}`
  return `${isSea() ? programWord(process.argv0) : 'npm run dateline --'} ${words}${dataDirFlag}`
}

/** The path of a program as the shell of a system reads it back, which on Windows has no single quotes. */
export function programWord(path: string, platform = process.platform): string {
  if (platform !== 'win32') return shellWord(path)
  return path.includes(' ') ? `"${path}"` : path
}

/** A value as a shell reads it back, on one line. */
export function shellWord(value: string): string {
  return /^[\w.:/@-]+$/.test(value) ? value : `'${value.replaceAll(/[\p{Cc}]/gu, '?').replaceAll("'", "'\\''")}'`
}
