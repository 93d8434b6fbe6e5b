/**
 * Codes are requested over HTTP while the service is killed with SIGKILL at random points of its conversations with a
 * mail server, which is slow and refuses now and then. Afterwards:
 *
 * - every code that was promised (202) and not replaced by a newer one was delivered, as the last mail to its address,
 *   and signs in there and so is of no other address;
 * - no mail was accepted again after the service had read that it was accepted. What the mail server accepted while the
 *   service died before it could read so is sent again, which cannot be avoided: such mails are counted, have the same
 *   Message-ID, and are told apart from the others by what the service said on the connection afterwards.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { databaseFile } from '../../src/store/db/data-dir.ts'
import { openForTest } from '../tools/stores.ts'
import { openMailExchange, type AcceptedMail, type Rule } from '../tools/mail-exchange.ts'
import type { Random } from '../tools/random.ts'
import { startKilledSite, untilServed, type Drill } from './killed-site.ts'

const CLIENTS = 16
/** It takes a few seconds; on a machine that is busy with other work each start of the service does. */
const DEADLINE_MS = 240_000
/** One address of so many asks for a second code. */
const ASKS_AGAIN_ONE_IN = 8
const REFUSES_ONE_IN = 25
const STEP_MS_MAX = 8
/** Before each request, so that there are requests for as long as there are mails. */
const REST_MS_MAX = 200
/** A kill comes up to this long after the step that it is set at. */
const KILL_DELAY_MS_MAX = 6
/** Of each mail the server is asked three times: sender, recipient, message. */
const STEPS_OF_A_MAIL = 3
const POLL_MS = 50

/** Gives a line of what happened. Throws an Error that lists what should not have. */
export async function drillMail({ cleanup, random }: Drill, codes: number, kills: number): Promise<string> {
  const begun = performance.now()
  const steps = createKiller(random, kills, codes * STEPS_OF_A_MAIL)
  const exchange = await openMailExchange(unsteady(random, () => steps.step()))
  cleanup.after(async () => exchange[Symbol.asyncDispose]())
  const site = await startKilledSite(cleanup, { words: ['--mail', `smtp://127.0.0.1:${exchange.port}`] })
  steps.onKill(() => {
    if (site.isStarting) return false
    void site.kill()
    return true
  })
  /** Posts until there is a response, and gives its status: a client that got none asks again. */
  const post = (endpoint: string, body: object): Promise<number | undefined> =>
    untilServed(async () => {
      const response = await site.call('POST', `/auth/${endpoint}`, body)
      await response.arrayBuffer()
      return response.status
    })

  const isLate = (): boolean => performance.now() - begun > DEADLINE_MS
  const addresses = Array.from({ length: codes }, (_, i) => `reader-${i}@example.org`)
  const requests = addresses.map((email) => ({ email, again: random.oneIn(ASKS_AGAIN_ONE_IN) }))
  await inParallel(requests, async ({ email, again }) => {
    await pause(random.below(REST_MS_MAX))
    const status = await post('request-code', { email })
    if (status !== 202) throw new Error(`request-code was answered with ${status}`)
    // It is asked for again while the mail with the first code waits, or is on its way, or was delivered.
    if (again) requests.splice(random.below(requests.length + 1), 0, { email, again: false })
  })
  const database = openForTest(cleanup, databaseFile(site.data), { readOnly: true })
  const waiting = (): number => Number(database.get("SELECT count(*) AS n FROM outbox WHERE state = 'waiting'")?.['n'])
  while ((waiting() > 0 || steps.left > 0) && !isLate()) {
    // Kills that the work was too short for come now, on what is left of it.
    if (waiting() === 0) steps.step()
    await pause(POLL_MS)
  }

  const faults: string[] = isLate() ? [`${waiting()} mails still wait after ${DEADLINE_MS / 1000} seconds`] : []
  const twice = faultsOfCopies(exchange.accepted, faults)
  await inParallel([...addresses], async (email) => {
    const mails = exchange.accepted.filter(({ to }) => to === email).sort((a, b) => a.arrival - b.arrival)
    const code = codeIn(mails.at(-1))
    if (code === undefined) faults.push(`${email} got no mail`)
    else if ((await post('verify-code', { email, code })) !== 200) faults.push(`the last mail to ${email} has no code that signs in`)
    if (mails.some(({ data }) => !new RegExp(`^To: <?${RegExp.escape(email)}>?\r$`, 'm').test(data))) {
      faults.push(`${email} got a mail for another address`)
    }
  })
  if (faults.length > 0) throw new Error(`${faults.length} faults:\n  ${faults.slice(0, 20).join('\n  ')}`)
  const seconds = ((performance.now() - begun) / 1000).toFixed(1)
  return (
    `${codes} addresses, ${exchange.accepted.length} mails accepted in ${exchange.conversations} conversations, ` +
    `${site.kills} kills, ${twice} mails sent twice because their acceptance was not read, ${seconds} s`
  )
}

/** How many mails came again without the service's knowledge; what it did knowingly goes to the faults. */
function faultsOfCopies(accepted: readonly AcceptedMail[], faults: string[]): number {
  let twice = 0
  const byCode = Map.groupBy(accepted, (mail) => `${mail.to} ${codeIn(mail) ?? ''}`)
  for (const [name, copies] of byCode) {
    const known = copies.slice(0, -1).filter(({ isAcknowledged }) => isAcknowledged)
    if (known.length > 0) faults.push(`${name} was sent again after its acceptance had been read`)
    if (new Set(copies.map(({ messageId }) => messageId)).size > 1) faults.push(`${name} has two Message-IDs`)
    twice += copies.length - 1
  }
  const ids = new Set(accepted.map(({ messageId }) => messageId))
  if (ids.size !== byCode.size) faults.push(`${byCode.size} mails have ${ids.size} Message-IDs`)
  return twice
}

function codeIn(mail: AcceptedMail | undefined): string | undefined {
  return /^Subject: .*?\b(\d{6})\b/m.exec(mail?.data ?? '')?.[1]
}

/** A server that takes its time and refuses now and then. */
function unsteady(random: Random, step: () => void): Rule {
  return async (stage) => {
    if (stage !== 'greeting') step()
    await pause(random.below(STEP_MS_MAX))
    if (!random.oneIn(REFUSES_ONE_IN)) return undefined
    if (stage === 'rcpt') return '450 4.2.0 greylisted'
    return stage === 'message' ? '451 4.3.0 try again' : undefined
  }
}

interface Killer {
  /** One more step of a conversation. */
  step(): void
  /** `kill` returns false while the service is still starting: that kill is retried at the next step. */
  onKill(kill: () => boolean): void
  /** Kills that did not happen yet. */
  readonly left: number
}

function createKiller(random: Random, kills: number, steps: number): Killer {
  const points = Array.from({ length: kills }, () => 1 + random.below(steps)).sort((a, b) => a - b)
  let count = 0
  let pending = 0
  let kill = (): boolean => false
  return {
    step() {
      count++
      const [point] = points
      if (point === undefined || count < point) return
      points.shift()
      pending++
      setTimeout(() => {
        pending--
        if (!kill()) points.unshift(point)
      }, random.below(KILL_DELAY_MS_MAX))
    },
    onKill: (work) => void (kill = work),
    get left() {
      return points.length + pending
    },
  }
}

/** Works a list off with several at a time. The work may add to it. */
async function inParallel<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const client = async (): Promise<void> => {
    for (let item = items.shift(); item !== undefined; item = items.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
}
