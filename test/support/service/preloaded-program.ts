/** The sources as a process that runs other code before its own, which an executable cannot. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cleanEnvironment } from '../../../scripts/tools/program.ts'
import { temporaryDirectory, type Cleanup } from '../../../scripts/tools/temporary-directory.ts'

const MAIN = join(import.meta.dirname, '../../../src/main.ts')

/** `serve` behind the code, from its ready line on. Of its end, the process tells the code and the signal. */
export async function servePreloaded(t: Cleanup, code: string) {
  const directory = temporaryDirectory(t)
  const file = join(directory, 'preload.mjs')
  writeFileSync(file, code)
  const words = ['--import', file, MAIN, 'serve', '--port', '0', '--data-dir', join(directory, 'data')]
  const child = spawn(process.execPath, words, { env: cleanEnvironment({}), stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(() => void child.kill('SIGKILL'))
  const exited = once(child, 'exit') as Promise<[code: number | null, signal: string | null]>
  const closed = once(child, 'close')
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (part: string) => void (log += part))
  await once(child.stdout, 'data')
  return { child, exited, closed, log: () => log }
}
