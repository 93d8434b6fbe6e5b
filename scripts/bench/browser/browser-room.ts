/** The room of a benchmark that looks at pages of a service in a real browser. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { browserMissing } from '../../../test/support/browser/browser.ts'
import type { Cleanup } from '../../tools/temporary-directory.ts'
import { withCleanup } from '../../with-cleanup.ts'
import { createBenchRoom, type BenchRoom } from '../bench-processes.ts'

/** Builds the dashboard, and ends all that the work has started. Throws where there is no browser. */
export async function withBrowserRoom(work: (room: BenchRoom, cleanup: Cleanup) => Promise<void>): Promise<void> {
  const missing = browserMissing()
  if (missing !== undefined) throw new Error(`Cannot drive a browser: ${missing}`)
  const built = spawnSync(process.execPath, [join(import.meta.dirname, '../../build-dashboard.ts')], { encoding: 'utf8' })
  if (built.status !== 0) throw new Error(`Cannot build the dashboard: ${built.stderr}`)
  await using room = createBenchRoom()
  await withCleanup((cleanup) => work(room, cleanup))
}
