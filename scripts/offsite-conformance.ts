/**
 * `npm run offsite-conformance`: what off-site backups speak, before others: our signatures before AWS's own test suite, from the
 * source package of botocore (PyPI); our places before the servers moto (PyPI) and s3rver (npm); our files of age before Debian's
 * `age`, in both directions. What cannot be had is said, and passes.
 */
import { withCleanup } from './with-cleanup.ts'
import { checkAge } from './offsite-conformance/age-program.ts'
import { checkServers } from './offsite-conformance/s3-servers.ts'
import { checkSignatures } from './offsite-conformance/signature-suite.ts'

try {
  for (const line of [checkSignatures(), ...(await withCleanup(checkServers)), await withCleanup(checkAge)]) process.stdout.write(`offsite-conformance: ${line}\n`)
} catch (error) {
  process.stderr.write(`offsite-conformance: ${error instanceof Error ? error.stack : String(error)}\n`)
  process.exitCode = 1
}
