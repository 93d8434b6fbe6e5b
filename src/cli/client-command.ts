/** `dateline client`: writes the typed client of this version, which is part of the program. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { loadPageAssets } from '../app/page-assets.ts'
import { CLIENT_PATH } from '../app/page-routes.ts'
import { systemReason } from '../base/system-error.ts'
import { EXIT, UsageError, type Command } from './command.ts'

/** In the first lines of each file, of every version. */
const OURS = /^\/\*\*\n \* A client of Dateline /
/** Source files are for all who may read the project; what the program writes elsewhere is for its user alone. */
const SOURCE_UMASK = 0o022

export const clientCommand: Command = {
  name: 'client',
  summary: 'write the typed client of the API, for TypeScript and JavaScript',
  options: [{ flag: '--to', value: 'DIR', meaning: 'the directory for dateline.ts, dateline.js and dateline.d.ts; made where it is missing' }],
  settings: [],
  examples: ['dateline client --to src/api'],
  async run({ options }, { stdout, stderr }) {
    const given = options.get('--to')
    if (given === undefined || given === '') throw new UsageError('dateline client needs --to DIR')
    const files = (loadPageAssets() ?? []).filter(({ path }) => path.startsWith(CLIENT_PATH) && path !== CLIENT_PATH)
    if (files.length === 0) {
      stderr.write('Cannot write the client: it has not been built: run "npm run client", or start the service once\n')
      return EXIT.failed
    }
    const directory = resolve(given)
    const umask = process.umask(SOURCE_UMASK)
    try {
      mkdirSync(directory, { recursive: true })
      const targets = files.map(({ path, body }) => ({ file: join(directory, basename(path)), body }))
      for (const { file } of targets) requireReplaceable(file)
      for (const { file, body } of targets) writeFileSync(file, body)
      stdout.write(targets.map(({ file }) => `${file}\n`).join(''))
      return EXIT.ok
    } catch (error) {
      stderr.write(`Cannot write the client to "${directory}": ${systemReason(error)}\n`)
      return EXIT.failed
    } finally {
      process.umask(umask)
    }
  },
}

/** Only a client of another version is replaced. Throws an Error. */
function requireReplaceable(file: string): void {
  if (!existsSync(file) || OURS.test(readFileSync(file, 'utf8').slice(0, 200))) return
  throw new Error(`the file "${basename(file)}" is no client of Dateline: choose another directory`)
}
