/**
 * Writes dist/client/dateline.ts, the client that is given away: one file without any import, made of
 * src/client/client.ts and the declarations of the models; and the same as JavaScript with its declarations.
 *
 *     npm run client
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { VERSION } from '../src/base/version.ts'
import { clientFiles } from './client-files.ts'

const directory = join(import.meta.dirname, '..', 'dist', 'client')
mkdirSync(directory, { recursive: true })
for (const [name, text] of clientFiles(VERSION)) {
  writeFileSync(join(directory, name), text)
  process.stdout.write(`dist/client/${name}: ${text.split('\n').length} lines, ${Buffer.byteLength(text)} bytes\n`)
}
