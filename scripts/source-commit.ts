/** The commit that is built, by git; with `-dirty` where a file of the program differs from it. */
import { spawnSync } from 'node:child_process'

/** All that gets into the executable. */
const PARTS = ['src', 'data', 'examples', 'scripts', 'package.json', 'tsconfig.json']

/** Undefined where there is no git, or the directory is not a clone. */
export function sourceCommit(root: string): string | undefined {
  const git = (...words: readonly string[]) => spawnSync('git', words, { cwd: root, encoding: 'utf8' })
  const { status, stdout } = git('rev-parse', 'HEAD')
  if (status !== 0) return undefined
  return stdout.trim() + (git('diff', '--quiet', 'HEAD', '--', ...PARTS).status === 0 ? '' : '-dirty')
}
