/** What a restored site has beside its database: secrets, templates, the recipients of its backups, and the flags of its service. */
import { existsSync, readFileSync, renameSync } from 'node:fs'
import { basename, join } from 'node:path'
import { makeDirectory, replaceFile } from '../../base/directory.ts'
import { isObject, parseJson, type JsonObject } from '../../base/json.ts'
import { RECIPIENTS_NAME, SECRETS_NAME, SETTINGS_NAME, TEMPLATES_NAME, type SmallFile } from '../../offsite/site-archive.ts'
import type { RestorePlace } from '../../store/backup/restore.ts'
import { shellWord } from '../../config/command-here.ts'

const DIRECTORY_MODE = 0o700
const FILE_MODE = 0o600
const WRITTEN: readonly string[] = [SECRETS_NAME, RECIPIENTS_NAME]

/** Writes the files into the data directory. One of the same name that differs is kept as `NAME.before-restore`. */
export function writeBeside({ path }: RestorePlace, files: readonly SmallFile[]): void {
  for (const { name, text } of files) {
    const isTemplate = name.startsWith(`${TEMPLATES_NAME}/`)
    if ((!isTemplate && !WRITTEN.includes(name)) || text === '') continue
    const directory = isTemplate ? join(path, TEMPLATES_NAME) : path
    makeDirectory(directory, DIRECTORY_MODE)
    const file = join(directory, basename(name))
    if (existsSync(file)) {
      if (readFileSync(file, 'utf8') === text) continue
      renameSync(file, `${file}.before-restore`)
    }
    replaceFile(file, text, FILE_MODE)
  }
}

/** The flags that the service was started with, each as two words. Values that were secret are `***`. */
export function givenFlags(files: readonly SmallFile[]): readonly string[] {
  const text = files.find(({ name }) => name === SETTINGS_NAME)?.text ?? '[]'
  return listOf(text).flatMap((row) => {
    const { flag, value } = isObject(row) ? (row as JsonObject) : {}
    const isFlag = typeof flag === 'string' && /^--[a-z-]{1,60}$/.test(flag) && typeof value === 'string' && flag !== '--data-dir'
    return isFlag ? [`${flag} ${shellWord(value)}`] : []
  })
}

function listOf(text: string): readonly unknown[] {
  try {
    const list = parseJson(text)
    return Array.isArray(list) ? list : []
  } catch {
    return []
  }
}
