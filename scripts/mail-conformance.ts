/**
 * `npm run mail-conformance [-- NAME…]`: our SMTP client against Postfix and aiosmtpd, as Debian ships them. Each
 * listens on ports of this machine with a certificate made for the run; what it delivers is compared byte by
 * byte and read by Python; it is stopped again. One line for each case; exit status 1 when one failed.
 *
 * It needs Linux, apt-get, root and, once a week, a network for the packages. Where one is lacking it says so and ends
 * with 0. Nothing is installed: see mail-conformance/debian-tree.ts.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startAiosmtpd } from './mail-conformance/aiosmtpd.ts'
import { aiosmtpdCases } from './mail-conformance/aiosmtpd-cases.ts'
import { makeCertificates } from './mail-conformance/certificates.ts'
import { cleanUpAfterUs } from './mail-conformance/clean-up.ts'
import { debianTree, type DebianTree, NotAvailable } from './mail-conformance/debian-tree.ts'
import { assertJailsWork, type Jail, openJail } from './mail-conformance/jail.ts'
import type { Case, Kit } from './mail-conformance/kit.ts'
import { POSTFIX_TREE, startPostfix } from './mail-conformance/postfix.ts'
import { postfixCases } from './mail-conformance/postfix-cases.ts'
import { PYTHON_TREE } from './mail-conformance/python.ts'
import { dropMail, type Receiver } from './mail-conformance/receiver.ts'

const CACHE = join(import.meta.dirname, '../node_modules/.cache/mail-conformance')
const CASE_MS_MAX = 30_000
const SHOWN_LOG_LINES = 40

/** One user with a password that is not ASCII, so that each mechanism shows how it encodes it. */
const ACCOUNT = { user: 'ann@example.org', password: 'pässword with / signs' }

interface Started {
  readonly receiver: Receiver
  readonly cases: readonly Case[]
}

interface Suite {
  readonly name: string
  readonly tree: DebianTree
  start(jail: Jail, kit: Kit): Promise<Started>
}

const SUITES: readonly Suite[] = [
  suite('postfix', POSTFIX_TREE, startPostfix, postfixCases),
  suite('aiosmtpd', PYTHON_TREE, startAiosmtpd, aiosmtpdCases),
]

const wanted = process.argv.slice(2)
const unknown = wanted.find((name) => !SUITES.some((each) => each.name === name))
if (unknown === undefined) {
  const passed = await runAll()
  // Whatever a case that took too long still waits for.
  process.exit(passed ? 0 : 1)
} else {
  console.error(`mail-conformance: cannot find "${unknown}": wanted ${SUITES.map(({ name }) => name).join(', ')}`)
  process.exitCode = 2
}

async function runAll(): Promise<boolean> {
  const start = performance.now()
  const directory = mkdtempSync(join(tmpdir(), 'dateline-mail-conformance-'))
  cleanUpAfterUs(directory)
  try {
    assertJailsWork()
    const certificates = makeCertificates(join(directory, 'certificates'))
    await using python = openJail(debianTree({ cache: CACHE, work: directory }, PYTHON_TREE), join(directory, 'python'))
    const kit = { account: ACCOUNT, certificates, directory, python }
    let failures = 0
    for (const each of SUITES) {
      if (wanted.length === 0 || wanted.includes(each.name)) failures += await runSuite(each, kit, directory)
    }
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
async function runSuite({ name, tree, start }: Suite, kit: Kit, directory: string): Promise<number> {
  try {
    await using jail = openJail(debianTree({ cache: CACHE, work: directory }, tree), join(directory, name))
    const { receiver, cases } = await start(jail, kit)
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
  } catch (error) {
    if (error instanceof NotAvailable) {
      console.log(`${name}: skipped: ${error.message}`)
      return 0
    }
    console.log(`${name}: FAILED: ${error instanceof Error ? error.message : String(error)}`)
    return 1
  }
}

async function problemOf({ run }: Case): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took more than ${CASE_MS_MAX} ms`)), CASE_MS_MAX)
  })
  try {
    await Promise.race([run(), tooLong])
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    clearTimeout(timer)
  }
}

function suite<R extends Receiver>(
  name: string,
  tree: DebianTree,
  start: (jail: Jail, kit: Kit) => Promise<R>,
  casesOf: (kit: Kit, receiver: R) => readonly Case[],
): Suite {
  return {
    name,
    tree,
    async start(jail, kit) {
      const receiver = await start(jail, kit)
      return { receiver, cases: casesOf(kit, receiver) }
    },
  }
}
