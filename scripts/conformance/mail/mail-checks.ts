/**
 * `npm run conformance -- mail [postfix|aiosmtpd]`: our SMTP client against Postfix and aiosmtpd, as Debian ships them. Each
 * listens on ports of this machine with a certificate made for the run; what it delivers is compared byte by
 * byte and read by Python; it is stopped again.
 *
 * It needs Linux, root, Debian's mmdebstrap and, once, a network for the packages. Nothing is
 * installed: see debian-archive.ts.
 */
import { join } from 'node:path'
import { within } from '../../tools/within.ts'
import { temporaryDirectory } from '../../tools/temporary-directory.ts'
import { startAiosmtpd } from './aiosmtpd.ts'
import { aiosmtpdCases } from './aiosmtpd-cases.ts'
import { makeCertificates } from './certificates.ts'
import { cleanUpAfterUs } from './clean-up.ts'
import { requireNone, type CheckRun, type Conformance } from '../conformance.ts'
import { openJail } from './jail.ts'
import type { Case, Kit } from './kit.ts'
import { POSTFIX_PACKAGES, startPostfix } from './postfix.ts'
import { postfixCases } from './postfix-cases.ts'
import { PYTHON_PACKAGES } from './python.ts'
import { dropMail, type Receiver } from './receiver.ts'

const CASE_MS_MAX = 30_000
const SHOWN_LOG_LINES = 40

const SYSTEM = { name: 'mail', release: 'bookworm', packages: [...POSTFIX_PACKAGES, ...PYTHON_PACKAGES] } as const

/** One user with a password that is not ASCII, so that each mechanism shows how it encodes it. */
const ACCOUNT = { user: 'ann@example.org', password: 'pässword with / signs' }

export const MAIL: Conformance = {
  checks: {
    async postfix(run) {
      const kit = await kitOf(run)
      const postfix = await startPostfix(kit)
      await runCases(postfix, postfixCases(kit, postfix), run)
    },
    async aiosmtpd(run) {
      const kit = await kitOf(run)
      const aiosmtpd = await startAiosmtpd(kit)
      await runCases(aiosmtpd, aiosmtpdCases(kit, aiosmtpd), run)
    },
  },
}

async function kitOf({ cleanup }: CheckRun): Promise<Kit> {
  const directory = temporaryDirectory(cleanup)
  cleanUpAfterUs(directory)
  const certificates = makeCertificates(join(directory, 'certificates'))
  const jail = openJail(SYSTEM, join(directory, 'jail'))
  cleanup.after(async () => jail[Symbol.asyncDispose]())
  return { account: ACCOUNT, certificates, directory, jail }
}

async function runCases(receiver: Receiver, cases: readonly Case[], { say }: CheckRun): Promise<void> {
  const failed: string[] = []
  for (const { name, run } of cases) {
    dropMail(receiver)
    const begun = performance.now()
    try {
      await within(CASE_MS_MAX, run())
      say(`${receiver.name} ${receiver.version}: ${name}: ok (${Math.round(performance.now() - begun)} ms)`)
    } catch (error) {
      failed.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  if (failed.length > 0) console.error(receiver.logs().trimEnd().split('\n').slice(-SHOWN_LOG_LINES).join('\n'))
  requireNone(failed)
}
