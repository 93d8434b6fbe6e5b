/**
 * The commands in the README and the guides. Blocks of `sh` are run as they stand; blocks of `console` need root, mail,
 * a proxy or another host, and only their flags are checked.
 */
import { spawn } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cleanEnvironment, COMMAND, finish } from '../../../scripts/tools/program.ts'
import type { Cleanup } from '../../../scripts/tools/temporary-directory.ts'

export const ROOT = join(import.meta.dirname, '../../..')

/** Paths from the root, with the text of each. */
export const DOCUMENTS: ReadonlyMap<string, string> = new Map(
  ['README.md', ...globSync('data/guides/*.md', { cwd: ROOT }).sort()].map((path) => [
    path.replaceAll('\\', '/'),
    readFileSync(join(ROOT, path), 'utf8'),
  ]),
)

export function codeBlocks(text: string, language: string): readonly string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code = '']) => code)
}

export interface ShellOptions {
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
}

/** Runs a script as a shell would, with `dateline` as the program under test. The first command that fails ends it. */
export async function shell(t: Cleanup, script: string, { cwd, environment }: ShellOptions) {
  const program = COMMAND.map((word) => `'${word}'`).join(' ')
  const child = spawn('bash', ['-c', `set -euo pipefail\ndateline() { ${program} "$@"; }\n${script}`], {
    cwd,
    env: { ...process.env, ...cleanEnvironment(environment) },
  })
  t.after(() => void child.kill('SIGKILL'))
  return finish(child)
}
