/**
 * Sign-in codes: issuing and consuming, with the wrong attempts at each.
 *
 * An email has at most one code that the operator made, and one for each client that requested one. They are apart, so that
 * a visitor who requests codes voids neither the operator's nor those of other clients. An attempt is compared with the
 * client's own code, and with the newest where it has none: never with several mailed codes.
 *
 * Wrong attempts count against live codes, and per client. A client that has used up its attempts at a code is rejected
 * even with the right digits, and counts no further: so one client can neither guess a code nor void it for others. When
 * all clients together have used up theirs, the code works only for the client that requested it, which still has its own.
 *
 * Past the limit of an email (NIST SP 800-63B section 5.2.2), the client that requested a code may still try it once, so
 * that a stranger cannot lock the owner out. All others wait until earlier attempts leave the window.
 *
 * These functions run inside a transaction of the write queue, so attempts that arrive together are counted one by one.
 */
import type { Database, Row } from '../db/database.ts'
import { isFull, putMessage } from '../outbox/outbox-table.ts'
import { addHit, forgetHits, rateWait, type Rate } from './rate-table.ts'

/** A sign-in code to be stored, with the sealed message that carries it, unless the operator made it. */
export interface CodeIssue {
  readonly email: string
  readonly mac: Uint8Array
  readonly now: number
  readonly expiresAt: number
  /** Undefined for a code of the operator, which replaces every other code of the email. */
  readonly message: { readonly id: string; readonly sealed: Uint8Array } | undefined
  /** The client that requests a mailed code, as `client` of its claim. */
  readonly requester?: Uint8Array | undefined
  /** A rate whose events are forgotten. */
  readonly forget?: Pick<Rate, 'ring' | 'key'> | undefined
}

export interface CodeClaim {
  readonly email: string
  readonly mac: Uint8Array
  /** A hash of the network address of the client. */
  readonly client: Uint8Array
  readonly now: number
  /** Wrong attempts after which a code is void: for one client, and for all. */
  readonly attempts: { readonly perClient: number; readonly inAll: number }
  /**
   * Count wrong attempts over all codes: of a client, live code or not, and of an email. Undefined where they are off.
   * `requester` counts those that clients make at their own codes past the limit of the email.
   */
  readonly rates: { readonly perClient?: Rate | undefined; readonly perEmail?: Rate | undefined; readonly requester?: readonly Rate[] }
}

/** 'none': no live code. 'blocked': the client has used up its attempts at the code. */
export type CodeFailure =
  | { readonly kind: 'rejected'; readonly reason: 'none' | 'blocked' | 'wrong' }
  | { readonly kind: 'limited'; readonly limit: 'perClient' | 'perEmail'; readonly retryAfterMs: number }

const PURGE_ROWS_MAX = 50
/** Mailed codes of one email that are live at once; the oldest goes first. */
const CODES_PER_EMAIL_MAX = 20
/** Past the limit of an email: attempts of the client that requested a code. */
const TRIES_PAST_LIMIT = 1
const OPERATOR = 'operator'

/**
 * Names the maker of a code: the operator, or the client that requested it. It is a text that programs of before, on other
 * nodes of a cluster, store and compare as they do theirs.
 */
const makerOf = (client: Uint8Array): string => `mail ${Buffer.from(client).toString('hex')}`

export function issueCode(database: Database, issue: CodeIssue): 'issued' | 'full' {
  const { email, mac, now, expiresAt, message, requester, forget } = issue
  const maker = message === undefined ? OPERATOR : makerOf(requester ?? new Uint8Array(0))
  const replaced = replacedCodes(database, email, maker)
  const expiries = replaced.map(({ expires_at: expiry }) => Number(expiry))
  const messages = { kind: 'code', email, supersedes: maker === OPERATOR ? undefined : expiries } as const
  if (message !== undefined && isFull(database, messages)) return 'full'
  database.run(
    `DELETE FROM code WHERE (email, maker) IN
      (SELECT email, maker FROM code WHERE expires_at <= ? LIMIT ${PURGE_ROWS_MAX})`,
    now,
  )
  // Deletes the attempts at the code as well (ON DELETE CASCADE).
  for (const code of replaced) database.run('DELETE FROM code WHERE email = ? AND maker = ?', email, String(code['maker']))
  database.run('INSERT INTO code (email, maker, mac, expires_at) VALUES (?, ?, ?, ?)', email, maker, mac, expiresAt)
  if (forget !== undefined) forgetHits(database, forget)
  putMessage(database, { ...messages, message, now, expiresAt })
  return 'issued'
}

/** The codes that a new one ends: all, where the operator makes it; else that of the same client, and the oldest of too many. */
function replacedCodes(database: Database, email: string, maker: string): readonly Row[] {
  const codes = database.all('SELECT maker, expires_at FROM code WHERE email = ? ORDER BY expires_at DESC', email)
  if (maker === OPERATOR) return codes
  const others = codes.filter((code) => code['maker'] !== OPERATOR && code['maker'] !== maker)
  return [...codes.filter((code) => code['maker'] === maker), ...others.slice(CODES_PER_EMAIL_MAX - 1)]
}

/**
 * The code of the operator is the way in for an owner who is locked out by strangers: three of them must not void it. With
 * 15 tries in all for other codes, 60 addresses may try it 300 times, and find it with a chance of 1 in 3,300.
 */
const OPERATOR_CODE_FACTOR = 20

/**
 * Consumes the code; undefined where it was right. The mac is keyed with a secret, so the time that SQLite takes to compare
 * it reveals nothing about the code.
 */
export function takeCode(database: Database, claim: CodeClaim): CodeFailure | undefined {
  const { email, attempts, rates, now } = claim
  const limited = passedLimit(database, claim)
  const live = liveCodes(database, claim)
  const isRequester = limited?.limit === 'perEmail' && hasRoom(database, rates.requester, now)
  const triesOf = ({ maker, is_own: isOwn }: Row): number => {
    // The operator's code works whatever attempts came before: no limit of the client or the email applies to it.
    if (limited === undefined || maker === OPERATOR) return attempts.perClient
    return isRequester && isOwn === 1 ? TRIES_PAST_LIMIT : 0
  }
  /** Others cannot void the code of the client that requested it, and need many addresses to void that of the operator. */
  const isLeft = ({ maker, is_own: isOwn, wrong }: Row): boolean =>
    isOwn === 1 || Number(wrong) < attempts.inAll * (maker === OPERATOR ? OPERATOR_CODE_FACTOR : 1)
  const open = live.filter((code) => Number(code['tried']) < triesOf(code) && isLeft(code))
  const right = open.find((code) => code['is_right'] === 1)
  if (right !== undefined) {
    // The mailed codes of other clients end with one of them.
    database.run(`DELETE FROM code WHERE email = ? AND (maker = '${OPERATOR}') = ?`, email, Number(right['maker'] === OPERATOR))
    return undefined
  }
  for (const code of open) countAttempt(database, claim, code)
  if (limited !== undefined) {
    if (open.some(({ maker }) => maker !== OPERATOR)) for (const rate of rates.requester ?? []) addHit(database, rate, now)
    return limited
  }
  if (rates.perClient !== undefined) addHit(database, rates.perClient, now)
  if (rates.perEmail !== undefined && open.length > 0) addHit(database, rates.perEmail, now)
  return { kind: 'rejected', reason: live.length === 0 ? 'none' : open.length === 0 ? 'blocked' : 'wrong' }
}

/** The code of the operator, and that of the client; the newest of another client where it has none. */
function liveCodes(database: Database, { email, mac, client, now }: CodeClaim): readonly Row[] {
  const rows = database.all(
    `SELECT maker, wrong, mac = ? AS is_right, maker = ? AS is_own,
        coalesce((SELECT wrong FROM code_try WHERE email = code.email AND maker = code.maker AND client = ?), 0) AS tried
      FROM code WHERE email = ? AND expires_at > ? ORDER BY is_own DESC, expires_at DESC`,
    ...[mac, makerOf(client), client, email, now],
  )
  const mailed = rows.find(({ maker }) => maker !== OPERATOR)
  return rows.filter((row) => row['maker'] === OPERATOR || row === mailed)
}

/** The limit over many codes that is reached, that of the client before that of the email. */
function passedLimit(database: Database, { rates, now }: CodeClaim): (CodeFailure & { readonly kind: 'limited' }) | undefined {
  for (const limit of ['perClient', 'perEmail'] as const) {
    const rate = rates[limit]
    const retryAfterMs = rate === undefined ? undefined : rateWait(database, rate, now)
    if (retryAfterMs !== undefined) return { kind: 'limited', limit, retryAfterMs }
  }
  return undefined
}

function hasRoom(database: Database, rates: readonly Rate[] = [], now: number): boolean {
  return rates.every((rate) => rateWait(database, rate, now) === undefined)
}

function countAttempt(database: Database, { email, client }: CodeClaim, { maker }: Row): void {
  const code = [email, String(maker)] as const
  database.run(
    `INSERT INTO code_try (email, maker, client, wrong) VALUES (?, ?, ?, 1)
      ON CONFLICT (email, maker, client) DO UPDATE SET wrong = wrong + 1`,
    ...code,
    client,
  )
  database.run('UPDATE code SET wrong = wrong + 1 WHERE email = ? AND maker = ?', ...code)
}
