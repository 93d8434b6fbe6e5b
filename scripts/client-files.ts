/**
 * The client as the files that are given away: TypeScript, and JavaScript with its declarations for projects without a
 * compiler. The compiler writes the last two, comments included, so that they depend on the sources alone.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clientSource } from '../src/reference/client-source.ts'

const TSC = join(import.meta.dirname, '..', 'node_modules/typescript/bin/tsc')
const OPTIONS = ['--declaration', '--target', 'es2022', '--module', 'esnext', '--lib', 'esnext,dom', '--types', '', '--skipLibCheck']

/** The texts by their names. Throws with what the compiler says. */
export function clientFiles(version: string): ReadonlyMap<string, string> {
  const source = clientSource(version)
  using temporary = mkdtempDisposableSync(join(tmpdir(), 'dateline-client-'))
  const directory = temporary.path
  writeFileSync(join(directory, 'dateline.ts'), source)
  const { status, stdout } = spawnSync(process.execPath, [TSC, ...OPTIONS, 'dateline.ts'], { cwd: directory, encoding: 'utf8' })
  if (status !== 0) throw new Error(`Cannot compile the client: ${stdout}`)
  const compiled = (name: string): string =>
    readFileSync(join(directory, name), 'utf8').replaceAll("'./dateline.ts'", "'./dateline.js'")
  return new Map([
    ['dateline.ts', source],
    ['dateline.js', compiled('dateline.js')],
    ['dateline.d.ts', compiled('dateline.d.ts')],
  ])
}
