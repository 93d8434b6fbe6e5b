/** A command of this program as it is typed where it was started: in a clone, or with the executable by its name. */
import { resolve } from 'node:path'
import { isSea } from 'node:sea'
import { DECLARED, type Config } from './settings.ts'

export function commandHere(words: string, { dataDir }: Pick<Config, 'dataDir'>): string {
  const dataDirFlag = dataDir === DECLARED.dataDir.initial ? '' : ` --data-dir ${JSON.stringify(resolve(dataDir))}`
  return `${isSea() ? process.argv0 : 'npm run dateline --'} ${words}${dataDirFlag}`
}

/** A value as a shell reads it back, on one line. */
export function shellWord(value: string): string {
  return /^[\w.:/@-]+$/.test(value) ? value : `'${value.replaceAll(/[\p{Cc}]/gu, '?').replaceAll("'", "'\\''")}'`
}
