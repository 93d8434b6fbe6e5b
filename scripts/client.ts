/**
 * Writes dist/client/dateline.ts, the client that is given away: one file without any import, made of
 * src/client/client.ts and the declarations of the models.
 *
 *     npm run client
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { VERSION } from '../src/base/version.ts'
import { clientSource } from './client-source.ts'

const directory = join(import.meta.dirname, '..', 'dist', 'client')
const text = clientSource(VERSION)
mkdirSync(directory, { recursive: true })
writeFileSync(join(directory, 'dateline.ts'), text)
process.stdout.write(`dist/client/dateline.ts: ${text.split('\n').length} lines, ${Buffer.byteLength(text)} bytes\n`)
