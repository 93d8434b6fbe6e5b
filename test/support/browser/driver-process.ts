/**
 * One chromedriver with the directory for its browsers' profiles, both gone when the tests are, however they end.
 *
 * A shell stands between the tests and the driver and reads from a pipe that is never written to. The pipe closes when we
 * close it and also when the process of the tests is killed; then the shell kills the driver and removes the profiles.
 * Browsers talk to the driver through a pipe too (`--remote-debugging-pipe` in browser.ts), so they end with it. The
 * shell is the leader of a session of its own: a Ctrl+C that ends the tests must not end it before it has tidied up.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { browserPrograms } from './browser-programs.ts'

/**
 * `$1` is the driver, `$2` the directory. The shell leaves its standard output to the driver alone, so that the tests see when
 * that ends. A browser that is ending may still write a file into what is removed, or make the directory again: it has to be gone
 * for a while.
 */
const KEEPER = `
"$1" --port=0 < /dev/null &
exec > /dev/null
cat
kill -KILL $! 2> /dev/null
wait
tries=0 gone=0
while [ $gone -lt 3 ] && [ $tries -lt 50 ]; do
  if [ -e "$2" ]; then gone=0; rm -rf "$2" 2> /dev/null; else gone=$((gone + 1)); fi
  sleep 0.1
  tries=$((tries + 1))
done
`

export interface DriverProcess {
  readonly url: string
  /** An empty directory for this run. */
  readonly directory: string
  /** Ends it and its browsers, and removes the directory. */
  end(): Promise<void>
}

/** Starts a driver on a free port. Rejects with what it printed where it ends, or is killed, before it is ready. */
export async function startDriver(driver = browserPrograms().driver): Promise<DriverProcess> {
  const directory = mkdtempSync(join(tmpdir(), 'dateline-browser-'))
  const keeper = spawn('/bin/sh', ['-c', KEEPER, 'keeper', driver, directory], {
    // Chromium has temporary directories of its own, which stay where it is killed. Its zone and its language are the same on
    // every machine: they decide what day it is, and in which order the parts of a date are typed.
    env: { ...process.env, TMPDIR: directory, TZ: 'UTC', LANGUAGE: 'en_US' },
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  })
  const closed = once(keeper, 'close')
  const end = async (): Promise<void> => {
    keeper.stdin.end()
    await closed
  }
  let printed = ''
  const port = await new Promise<string>((resolve, reject) => {
    keeper.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      const [, found] = /started successfully on port (\d+)/.exec(printed) ?? []
      if (found !== undefined) resolve(found)
    })
    keeper.stdout.once('end', () => reject(new Error(`The driver ended before it was ready: ${printed}`)))
    keeper.once('error', reject)
  }).catch(async (error: unknown) => {
    await end()
    throw error
  })
  return { url: `http://127.0.0.1:${port}`, directory, end }
}
