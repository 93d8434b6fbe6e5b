/** The suites of the API as files: those that move the clock need libfaketime where the service is a process. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
/** What a test says that wants another time than the real one. */
const WANTS_CLOCK = /\badvance\(|(?<!\bperformance)\.now\(\)|\bstart:|\bSTART\b|\bbadTokens\b|\b2026-03-01/

/** The file of libfaketime, where it is there. */
export const [CLOCK] = globSync('/usr/lib/*/faketime/libfaketime.so.1')

export interface SuiteFiles {
  readonly withClock: readonly string[]
  readonly withoutClock: readonly string[]
}

/** Of the files given, those in test/api. */
export function apiSuites(chosen: readonly string[]): SuiteFiles {
  const files = chosen.filter((file) => file.startsWith('test/api/'))
  const [withClock = [], withoutClock = []] = [true, false].map((wants) =>
    files.filter((file) => WANTS_CLOCK.test(readFileSync(join(ROOT, file), 'utf8')) === wants),
  )
  return { withClock, withoutClock }
}
