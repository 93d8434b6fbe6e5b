/**
 * The delivery attempts in flight. A result is written in the turn of the event loop in which the reply arrived, before
 * the lane takes another message. After a crash in between, the message is sent twice, with the same Message-ID: SMTP
 * cannot be asked what became of it (RFC 1047), and the alternative would be to lose a code.
 */
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { pause } from '../base/pause.ts'
import type { Circuit } from './mail-circuit.ts'
import { type AbortReason, ATTEMPT_MS_MAX, type DeliveryAttempt } from './mail-delivery.ts'
import { unseal } from './sealed-message.ts'
import type { DeliveryResult, OutboxMessage } from '../store/outbox/outbox-table.ts'
import type { Writer } from '../store/writes/writer.ts'

const LANES = 4
const RETRY_RECORD_MS = 5_000
const UNREADABLE = 'sealed with another secret'

interface Attempt extends DeliveryAttempt {
  readonly abort: (reason: AbortReason) => void
  done: Promise<void>
}

interface AttemptTools {
  readonly store: Pick<Writer, 'finishMessage'>
  readonly sealKey: Buffer
  readonly circuit: Circuit
  /** Never rejects. */
  readonly deliver: (attempt: DeliveryAttempt) => Promise<DeliveryResult>
  readonly now: Clock
  readonly log: Log
  /** Called when a lane is free or a result is recorded. */
  readonly onChange: () => void
}

export function createAttempts({ store, sealKey, circuit, deliver, now, log, onChange }: AttemptTools) {
  /** By the message's id, until the result is on disk. */
  const inFlight = new Map<string, Attempt>()
  let lanesInUse = 0
  let isStopping = false

  /** A result that cannot be written is kept until it can: the server has the message. */
  const record = async (id: string, result: DeliveryResult): Promise<void> => {
    for (;;) {
      try {
        return await store.finishMessage(id, result, now())
      } catch (error) {
        log.error('mail.courier-failed', { id, error })
        if (isStopping) return
        await pause(RETRY_RECORD_MS)
      }
    }
  }
  const run = async (attempt: Attempt, earlier: readonly Attempt[]): Promise<void> => {
    const { id } = attempt.message
    for (const one of earlier) one.abort('superseded')
    await Promise.all(earlier.map(({ done }) => done))
    const timer = setTimeout(() => attempt.abort('timeout'), ATTEMPT_MS_MAX)
    const result = await deliver(attempt)
    clearTimeout(timer)
    lanesInUse--
    const recorded = record(id, result)
    // Takes the next message in the transaction that records this one, and so never before it.
    onChange()
    await recorded
    inFlight.delete(id)
    // What is to be sent again may be due earlier than that turn saw. After any other result it would find nothing.
    if (result.kind === 'later') onChange()
  }
  const allDone = (): Promise<unknown> => Promise.all([...inFlight.values()].map(({ done }) => done))

  return {
    get freeLanes(): number {
      return LANES - lanesInUse
    },
    /** Whether an attempt tests the present state of the circuit. */
    get isProbing(): boolean {
      return [...inFlight.values()].some(({ epoch }) => epoch === circuit.epoch)
    },
    ids: (): readonly string[] => [...inFlight.keys()],
    start(message: OutboxMessage): void {
      if (inFlight.has(message.id)) return
      const content = unseal(sealKey, message.sealed)
      if (content === undefined) {
        log.error('mail.unreadable', { id: message.id, reason: UNREADABLE })
        void record(message.id, { kind: 'failed', reply: UNREADABLE }).then(onChange)
        return
      }
      const earlier = [...inFlight.values()].filter(({ content: { kind, email } }) => kind === content.kind && email === content.email)
      const controller = new AbortController()
      const { signal } = controller
      const abort = (reason: AbortReason): void => controller.abort(reason)
      const attempt: Attempt = { message, content, epoch: circuit.epoch, signal, abort, done: Promise.resolve() }
      inFlight.set(message.id, attempt)
      lanesInUse++
      attempt.done = run(attempt, earlier)
    },
    /** The code of this message is no longer valid. */
    supersede: (id: string): void => inFlight.get(id)?.abort('superseded'),
    allDone,
    /** Waits for the attempts, and aborts them after `graceMs`. */
    async stop(graceMs: number): Promise<void> {
      isStopping = true
      const grace = setTimeout(() => inFlight.forEach((attempt) => attempt.abort('stopping')), graceMs)
      await allDone()
      clearTimeout(grace)
    },
  }
}
