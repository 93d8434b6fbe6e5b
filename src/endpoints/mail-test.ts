/**
 * A test mail, for administrators: the SMTP dialogue, and what to do where it fails.
 *
 * A stolen token of an administrator could send mail to any e-mail address. So there is one at a time, a few
 * in an hour, and its text is ours.
 */
import type { Limits } from '../auth/limits.ts'
import type { Session } from '../auth/sessions.ts'
import type { Clock } from '../base/clock.ts'
import { fail } from '../base/failure.ts'
import { visible, type Log } from '../base/log.ts'
import { requireAdministrator } from '../content/access.ts'
import type { TrialOutcome, TrialRequest } from '../mail/delivery/trial-delivery.ts'
import type { MailTest } from '../models/responses.ts'

/** With what it takes to end a program or a connection, the response is there within half a minute. */
const TEST_MS_MAX = 25_000
const LINES_MAX = 500
const LINE_CHARS_MAX = 2_000

export interface MailTestParts {
  /** Makes one attempt by the configured way. */
  readonly tryMail: (request: TrialRequest) => Promise<TrialOutcome>
  readonly limits: Pick<Limits, 'testMail'>
  readonly now: Clock
  readonly log: Log
  /** For tests. */
  readonly timeMs?: number | undefined
}

/** Gives what sends one test mail in the name of an administrator, and tells how that went. */
export function createMailTest({ tryMail, limits, now, log, timeMs = TEST_MS_MAX }: MailTestParts) {
  let isRunning = false
  return async (to: string, { caller, acting }: Session): Promise<MailTest> => {
    if (isRunning) throw fail('conflict', 'Cannot send a test mail: another one is on its way, wait for its end')
    isRunning = true
    try {
      await limits.testMail(acting(requireAdministrator), now())
      const lines: string[] = []
      const onLine = (line: string): void => void (lines.length < LINES_MAX && lines.push(shown(line)))
      const signal = AbortSignal.timeout(timeMs)
      const outcome = await tryMail({ to, onLine, signal })
      log.info('mail.tested', { by: caller.id, delivered: outcome.kind === 'taken' })
      return tested(signal.aborted ? tooLate(outcome, timeMs) : outcome, lines)
    } finally {
      isRunning = false
    }
  }
}

function tested(outcome: TrialOutcome, lines: readonly string[]): MailTest {
  return {
    delivered: outcome.kind === 'taken',
    lines: [...lines, shown(`* ${outcome.kind === 'taken' ? `the mail was taken: ${outcome.words}` : outcome.words}`)],
    advice: outcome.kind === 'taken' ? null : shown(outcome.advice),
  }
}

/** What was ended for its time tells only that it was ended. */
function tooLate(outcome: TrialOutcome, timeMs: number): TrialOutcome {
  if (outcome.kind === 'taken') return outcome
  const advice = 'The last line shows what was waited for: check host and port in --mail, and firewalls between'
  return { kind: 'failed', words: `broken off: nothing came of it within ${timeMs / 1000} seconds`, advice }
}

/** A mail server may send anything. */
function shown(text: string): string {
  return visible(text.replaceAll(/[\n\t]+/g, ' ')).slice(0, LINE_CHARS_MAX)
}
