/**
 * A whole site as one archive: the checked copy of the database, and what stands beside it: `secrets`, `templates/`, the recipients of
 * the backups, and the settings that the operator gave. `age -d` and `tar --zstd -x` unpack it without this program.
 */
import { createReadStream } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { streamOf, type Bytes } from '../base/byte-source.ts'
import { writeTar, type TarFile } from './tar.ts'

export const DATABASE_NAME = 'dateline.db'
export const SETTINGS_NAME = 'settings.json'
export const SECRETS_NAME = 'secrets'
export const RECIPIENTS_NAME = 'backup-recipients'
export const TEMPLATES_NAME = 'templates'
const READ_BYTES = 1024 * 1024
const TEMPLATES_MAX = 200
const TEMPLATE_BYTES_MAX = 1024 * 1024

export interface SmallFile {
  readonly name: string
  readonly text: string
}

/** The files of a directory of templates; none where it is missing. What no template can be is left out. */
export async function templateFiles(dataDir: string): Promise<readonly SmallFile[]> {
  const directory = join(dataDir, TEMPLATES_NAME)
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => [])
  const found: SmallFile[] = []
  for (const { name } of entries.filter((entry) => entry.isFile() && /^[\w][\w.-]{0,80}$/.test(entry.name)).slice(0, TEMPLATES_MAX)) {
    const file = join(directory, name)
    if ((await stat(file)).size <= TEMPLATE_BYTES_MAX) found.push({ name: `${TEMPLATES_NAME}/${name}`, text: await readFile(file, 'utf8') })
  }
  return found
}

/** The small files first: a reader has them before the long one. */
export function archiveSite(database: { readonly file: string; readonly bytes: number; readonly pass: (content: Bytes) => Bytes }, beside: readonly SmallFile[]): Bytes {
  const small = beside.map(({ name, text }): TarFile => ({ name, bytes: Buffer.byteLength(text), content: streamOf(Buffer.from(text)) }))
  const content = database.pass(createReadStream(database.file, { highWaterMark: READ_BYTES }))
  return writeTar([...small, { name: DATABASE_NAME, bytes: database.bytes, content }])
}
