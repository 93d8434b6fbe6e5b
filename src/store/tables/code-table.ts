/**
 * Sign-in codes: issuing and consuming, with the wrong attempts at each.
 *
 * An email has at most one code that was mailed and one that the operator made. They are apart, so that a visitor who
 * requests codes cannot void the operator's.
 *
 * Wrong attempts count against live codes, and per client. A client that has used up its attempts at a code is rejected
 * even with the right digits, and counts no further: so one client can neither guess a code nor void it for others. When
 * all clients together have used up theirs, the code is void.
 *
 * These functions run inside a transaction of the write queue, so attempts that arrive together are counted one by one.
 */
import type { Database, Row } from '../sqlite/database.ts'
import { isFull, putMessage } from './outbox-table.ts'
import { addHit, forgetHits, rateWait } from './rate-table.ts'
import type { CodeClaim, CodeIssue, CodeFailure } from '../store.ts'

const PURGE_ROWS_MAX = 50

type Maker = 'mail' | 'operator'

export function issueCode(database: Database, issue: CodeIssue): 'issued' | 'full' {
  const { email, mac, now, expiresAt, message, forget } = issue
  if (message !== undefined && isFull(database, 'code', email)) return 'full'
  database.run(
    `DELETE FROM code WHERE (email, maker) IN
      (SELECT email, maker FROM code WHERE expires_at <= ? LIMIT ${PURGE_ROWS_MAX})`,
    now,
  )
  const maker: Maker = message === undefined ? 'operator' : 'mail'
  // Deletes the attempts at the code as well (ON DELETE CASCADE).
  if (maker === 'operator') database.run('DELETE FROM code WHERE email = ?', email)
  else database.run("DELETE FROM code WHERE email = ? AND maker = 'mail'", email)
  database.run('INSERT INTO code (email, maker, mac, expires_at) VALUES (?, ?, ?, ?)', email, maker, mac, expiresAt)
  if (forget !== undefined) forgetHits(database, forget)
  putMessage(database, { kind: 'code', ...issue })
  return 'issued'
}

/**
 * Consumes the code; undefined where it was right. The mac is keyed with a secret, so the time that SQLite takes to compare
 * it reveals nothing about the code.
 */
export function takeCode(database: Database, claim: CodeClaim): CodeFailure | undefined {
  const { email, mac, client, now, attempts, rates } = claim
  const limited = passedLimit(database, claim)
  const live = database.all(
    `SELECT maker, mac = ? AS is_right,
        coalesce((SELECT wrong FROM code_try WHERE email = code.email AND maker = code.maker AND client = ?), 0) AS own
      FROM code WHERE email = ? AND expires_at > ?`,
    mac,
    client,
    email,
    now,
  )
  // The operator's code works whatever attempts came before: no limit of the client or the email applies to it.
  const open = live.filter(
    ({ maker, own }) => Number(own) < attempts.perClient && (limited === undefined || maker === 'operator'),
  )
  if (open.some((code) => code['is_right'] === 1)) {
    database.run('DELETE FROM code WHERE email = ? AND mac = ?', email, mac)
    return undefined
  }
  for (const code of open) countAttempt(database, claim, code)
  if (limited !== undefined) return limited
  if (rates.perClient !== undefined) addHit(database, rates.perClient, now)
  if (rates.perEmail !== undefined && open.length > 0) addHit(database, rates.perEmail, now)
  return { kind: 'rejected', reason: live.length === 0 ? 'none' : open.length === 0 ? 'blocked' : 'wrong' }
}

/** The limit over many codes that is reached, that of the client before that of the email. */
function passedLimit(database: Database, { rates, now }: CodeClaim): CodeFailure | undefined {
  for (const limit of ['perClient', 'perEmail'] as const) {
    const rate = rates[limit]
    const retryAfterMs = rate === undefined ? undefined : rateWait(database, rate, now)
    if (retryAfterMs !== undefined) return { kind: 'limited', limit, retryAfterMs }
  }
  return undefined
}

function countAttempt(database: Database, { email, client, attempts }: CodeClaim, { maker }: Row): void {
  const code = [email, String(maker)] as const
  database.run(
    `INSERT INTO code_try (email, maker, client, wrong) VALUES (?, ?, ?, 1)
      ON CONFLICT (email, maker, client) DO UPDATE SET wrong = wrong + 1`,
    ...code,
    client,
  )
  database.run('UPDATE code SET wrong = wrong + 1 WHERE email = ? AND maker = ?', ...code)
  database.run('DELETE FROM code WHERE email = ? AND maker = ? AND wrong >= ?', ...code, attempts.inAll)
}
