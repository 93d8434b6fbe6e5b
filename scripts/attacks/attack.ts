/**
 * What an attack of the drill is: what is sent to the service, and the limits within which other clients have to be
 * served and the process has to stay. Attacks are black boxes: they know the API and the process, none of our sources.
 */
import type { Socket } from 'node:net'
import type { Random } from '../tools/random.ts'
import { within } from '../tools/within.ts'
import type { Request, TimedResponse } from './loopback-client.ts'
import type { Limits } from './verdict.ts'

/** An attack that takes longer has hung: every request in it has a deadline. */
const ATTACK_MS_MAX = 180_000

export interface Attack {
  /** Kebab case; `npm run drill -- attacks NAME` runs it alone. */
  readonly name: string
  /** What is tried, in one line for the table. */
  readonly tries: string
  /** Short and light enough for the gate. */
  readonly isQuick?: boolean
  /** It stops the service itself, so that it cannot run beside ordinary traffic. */
  readonly endsService?: boolean
  /** What differs from DEFAULT_LIMITS. */
  readonly limits?: Partial<Limits>
  /** Sends everything and closes its connections. Gives what it saw; throws only for a fault of the drill itself. */
  run(site: Site): Promise<Outcome>
}

export interface Outcome {
  /** What happened, such as the statuses that came back, for the report. */
  readonly notes: readonly string[]
  /** What must not happen, beside what the probe and the process figures show. */
  readonly faults: readonly string[]
  /** What must not happen on a machine with time for it: queries past their deadline, which is wall time. */
  readonly lateness?: readonly string[]
}

export interface Account {
  readonly id: string
  readonly token: string
}

/** A running service with sample data, as an attack sees it. */
export interface Site {
  readonly port: number
  readonly pid: number
  readonly isQuick: boolean
  readonly random: Random
  readonly headlineIds: readonly string[]
  readonly sourceIds: readonly string[]
  readonly topicIds: readonly string[]
  readonly publisher: Account
  readonly administrator: Account
  /** A loopback address that no client has used before: to the service, another client. */
  newAddress(): string
  /** A new guest, signed in from an address of its own. */
  guest(): Promise<Account>
  /** One of the prepared users without a dashboard role, each in turn. */
  reader(): Account
  send(request: Request): Promise<TimedResponse>
  /** A raw connection. Its errors are swallowed: an attacker expects to be cut off. */
  connect(from: string): Promise<Socket>
  /** Stops and resumes reading the stderr of the service. */
  pauseLog(): void
  resumeLog(): void
  /** Size of the data directory, without the write-ahead log for as long as it has its usual size. */
  dataBytes(): number
  /** Size of a copy of the database, in which nothing is left in the log. */
  databaseBytes(): Promise<number>
  /** Sends SIGTERM and gives what the process made of it. */
  stop(): Promise<Stopped>
}

export interface Stopped {
  /** From the signal to the exit. */
  readonly totalMs: number
  /** From the log event `stopped` to the exit; undefined where the event did not come. */
  readonly afterStoppedMs: number | undefined
  readonly code: number | null
}

/** Throws where the attack cannot be run, or does not come to an end. */
export function runInTime(attack: Pick<Attack, 'run'>, site: Site): Promise<Outcome> {
  return within(ATTACK_MS_MAX, attack.run(site))
}
