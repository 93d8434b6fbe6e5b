/**
 * `npm run mail-conformance [-- NAME…]`: our SMTP client against Postfix and aiosmtpd, as Debian ships them. Each
 * listens on ports of this machine with a certificate made for the run; what it delivers is compared byte by
 * byte and read by Python; it is stopped again. One line for each case; exit status 1 when one failed.
 *
 * It needs Linux, root, Debian's mmdebstrap and, once, a network for the packages. Where one is lacking it says so and ends
 * with 0. Nothing is installed: see debian-archive.ts.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startAiosmtpd } from './mail-conformance/aiosmtpd.ts'
import { aiosmtpdCases } from './mail-conformance/aiosmtpd-cases.ts'
import { makeCertificates } from './mail-conformance/certificates.ts'
import { cleanUpAfterUs } from './mail-conformance/clean-up.ts'
import { NotAvailable } from './debian-archive.ts'
import { openJail } from './mail-conformance/jail.ts'
import type { Case, Kit } from './mail-conformance/kit.ts'
import { POSTFIX_PACKAGES, startPostfix } from './mail-conformance/postfix.ts'
import { postfixCases } from './mail-conformance/postfix-cases.ts'
import { PYTHON_PACKAGES } from './mail-conformance/python.ts'
import { dropMail, type Receiver } from './mail-conformance/receiver.ts'

const CASE_MS_MAX = 30_000
const SHOWN_LOG_LINES = 40

const SYSTEM = { name: 'mail', release: 'bookworm', packages: [...POSTFIX_PACKAGES, ...PYTHON_PACKAGES] } as const

/** One user with a password that is not ASCII, so that each mechanism shows how it encodes it. */
const ACCOUNT = { user: 'ann@example.org', password: 'pässword with / signs' }

const SUITES: Readonly<Record<string, (kit: Kit) => Promise<number>>> = {
  async postfix(kit) {
    const postfix = await startPostfix(kit)
    return runCases(postfix, postfixCases(kit, postfix))
  },
  async aiosmtpd(kit) {
    const aiosmtpd = await startAiosmtpd(kit)
    return runCases(aiosmtpd, aiosmtpdCases(kit, aiosmtpd))
  },
}

const words = process.argv.slice(2)
const unknown = words.find((name) => SUITES[name] === undefined)
if (unknown === undefined) {
  const passed = await runSuites(words.length === 0 ? Object.keys(SUITES) : words)
  // Whatever a case that took too long still waits for.
  process.exit(passed ? 0 : 1)
} else {
  console.error(`mail-conformance: cannot find "${unknown}": wanted ${Object.keys(SUITES).join(', ')}`)
  process.exitCode = 2
}

async function runSuites(names: readonly string[]): Promise<boolean> {
  const start = performance.now()
  const directory = mkdtempSync(join(tmpdir(), 'dateline-mail-conformance-'))
  cleanUpAfterUs(directory)
  try {
    const certificates = makeCertificates(join(directory, 'certificates'))
    await using jail = openJail(SYSTEM, join(directory, 'jail'))
    let failures = 0
    for (const name of names) failures += (await SUITES[name]?.({ account: ACCOUNT, certificates, directory, jail })) ?? 0
    const seconds = ((performance.now() - start) / 1_000).toFixed(1)
    console.log(`mail-conformance: ${failures === 0 ? 'passed' : `${failures} failed`} in ${seconds} s`)
    return failures === 0
  } catch (error) {
    if (!(error instanceof NotAvailable)) throw error
    console.log(`mail-conformance: skipped: ${error.message}`)
    return true
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Runs the cases of one server; gives how many failed. */
async function runCases(receiver: Receiver, cases: readonly Case[]): Promise<number> {
  let failures = 0
  for (const each of cases) {
    dropMail(receiver)
    const begun = performance.now()
    const problem = await problemOf(each)
    const took = `${Math.round(performance.now() - begun)} ms`
    const outcome = problem === undefined ? `ok (${took})` : `FAILED (${took}): ${problem}`
    console.log(`${receiver.name} ${receiver.version}: ${each.name}: ${outcome}`)
    if (problem !== undefined) failures++
  }
  if (failures > 0) console.error(receiver.logs().trimEnd().split('\n').slice(-SHOWN_LOG_LINES).join('\n'))
  return failures
}

async function problemOf({ run }: Case): Promise<string | undefined> {
  const timer = Promise.withResolvers<never>()
  const timeout = setTimeout(() => timer.reject(new Error(`it took more than ${CASE_MS_MAX} ms`)), CASE_MS_MAX)
  try {
    await Promise.race([run(), timer.promise])
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    clearTimeout(timeout)
  }
}
