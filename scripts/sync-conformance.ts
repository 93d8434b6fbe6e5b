/**
 * The offline protocol before the client that it is for: RxDB, with replicateServer() of rxdb-server, which replicates
 * from a running service and to it.
 *
 *   npm run sync-conformance
 *
 * The packages are fetched from npm, once, to a directory of their own, dist/tools/sync. Where npm cannot be reached, it
 * says so and passes.
 */
import { npmTools } from './fetched-tools.ts'
import { checkSync } from './sync-conformance/sync-checks.ts'

/** rxdb-server holds the plugin replication-server; its module cannot be loaded beside rxdb 17. */
const PACKAGES = { rxdb: '16.21.1', 'rxdb-server': '15.22.0', rxjs: '7.8.2' }

const { directory, missing } = npmTools({ name: 'sync', packages: PACKAGES })
if (missing === undefined) {
  await checkSync(directory)
  // RxDB leaves timers behind.
  process.exit()
}
process.stdout.write(`sync-conformance: not run: ${missing}\n`)
