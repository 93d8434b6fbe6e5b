/**
 * Sign-in codes: issuing and consuming, with the wrong attempts at each.
 *
 * An email has at most one code that the operator made, and one for each client that requested one. They are apart, so that
 * a visitor who requests codes voids neither the operator's nor those of other clients. An attempt is compared with the
 * client's own code, and with the newest where it has none: never with several mailed codes.
 *
 * Wrong attempts count against live codes, and per client. A client that has used up its attempts at a code is rejected
 * even with the right digits, and counts no further: so one client can neither guess a code nor void it for others. When
 * all clients together have used up theirs, the code is void.
 *
 * Past the limit of an email (NIST SP 800-63B section 5.2.2), the client that requested a code may still try it once, so
 * that a stranger cannot lock the owner out. All others wait until earlier attempts leave the window.
 *
 * These functions run inside a transaction of the write queue, so attempts that arrive together are counted one by one.
 */
import type { Database, Row } from '../sqlite/database.ts'
import { isFull, putMessage } from './outbox-table.ts'
import { addHit, forgetHits, rateWait } from './rate-table.ts'
import type { CodeClaim, CodeFailure, CodeIssue, Rate } from '../store.ts'

export const CODE_SCHEMA = `
  -- Codes that live for minutes are not taken over. requester names the client that requested the code, as code_try does; it
  -- is empty for a code of the operator.
  DROP TABLE code_try;
  DROP TABLE code;
  CREATE TABLE code (
    seq INTEGER PRIMARY KEY, email TEXT NOT NULL, maker TEXT NOT NULL, requester BLOB NOT NULL, mac BLOB NOT NULL,
    wrong INTEGER NOT NULL DEFAULT 0, expires_at INTEGER NOT NULL
  );
  CREATE UNIQUE INDEX code_email ON code (email, maker, requester);
  CREATE INDEX code_expiry ON code (expires_at);
  CREATE TABLE code_try (
    code INTEGER NOT NULL, client BLOB NOT NULL, wrong INTEGER NOT NULL,
    PRIMARY KEY (code, client), FOREIGN KEY (code) REFERENCES code (seq) ON DELETE CASCADE
  ) WITHOUT ROWID;
  `

const PURGE_ROWS_MAX = 50
/** Mailed codes of one email that are live at once; the oldest goes first. */
const CODES_PER_EMAIL_MAX = 20
/** Past the limit of an email: attempts of the client that requested a code. */
const TRIES_PAST_LIMIT = 1
const OPERATOR = new Uint8Array(0)

export function issueCode(database: Database, issue: CodeIssue): 'issued' | 'full' {
  const { email, mac, now, expiresAt, message, requester = OPERATOR, forget } = issue
  if (message !== undefined && isFull(database, 'code', email)) return 'full'
  database.run(`DELETE FROM code WHERE seq IN (SELECT seq FROM code WHERE expires_at <= ? LIMIT ${PURGE_ROWS_MAX})`, now)
  const maker = message === undefined ? 'operator' : 'mail'
  // Deletes the attempts at the code as well (ON DELETE CASCADE).
  if (maker === 'operator') database.run('DELETE FROM code WHERE email = ?', email)
  else {
    database.run("DELETE FROM code WHERE email = ? AND maker = 'mail' AND requester = ?", email, requester)
    database.run(
      `DELETE FROM code WHERE seq IN
        (SELECT seq FROM code WHERE email = ? AND maker = 'mail' ORDER BY seq DESC LIMIT -1 OFFSET ${CODES_PER_EMAIL_MAX - 1})`,
      email,
    )
  }
  database.run(
    'INSERT INTO code (email, maker, requester, mac, expires_at) VALUES (?, ?, ?, ?, ?)',
    ...[email, maker, requester, mac, expiresAt],
  )
  if (forget !== undefined) forgetHits(database, forget)
  putMessage(database, { kind: 'code', ...issue })
  return 'issued'
}

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
    if (limited === undefined || maker === 'operator') return attempts.perClient
    return isRequester && isOwn === 1 ? TRIES_PAST_LIMIT : 0
  }
  const open = live.filter((code) => Number(code['tried']) < triesOf(code))
  const right = open.find((code) => code['is_right'] === 1)
  if (right !== undefined) {
    // The mailed codes of other clients end with one of them.
    database.run('DELETE FROM code WHERE email = ? AND maker = ?', email, String(right['maker']))
    return undefined
  }
  for (const code of open) countAttempt(database, claim, code)
  if (limited !== undefined) {
    if (open.some(({ maker }) => maker === 'mail')) for (const rate of rates.requester ?? []) addHit(database, rate, now)
    return limited
  }
  if (rates.perClient !== undefined) addHit(database, rates.perClient, now)
  if (rates.perEmail !== undefined && open.length > 0) addHit(database, rates.perEmail, now)
  return { kind: 'rejected', reason: live.length === 0 ? 'none' : open.length === 0 ? 'blocked' : 'wrong' }
}

/** The code of the operator, and that of the client; the newest of another client where it has none. */
function liveCodes(database: Database, { email, mac, client, now }: CodeClaim): readonly Row[] {
  const rows = database.all(
    `SELECT seq, maker, mac = ? AS is_right, requester = ? AS is_own,
        coalesce((SELECT wrong FROM code_try WHERE code = seq AND client = ?), 0) AS tried
      FROM code WHERE email = ? AND expires_at > ? ORDER BY is_own DESC, seq DESC`,
    ...[mac, client, client, email, now],
  )
  const mailed = rows.find(({ maker }) => maker === 'mail')
  return rows.filter((row) => row['maker'] === 'operator' || row === mailed)
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

function countAttempt(database: Database, { client, attempts }: CodeClaim, { seq }: Row): void {
  const code = Number(seq)
  database.run(
    `INSERT INTO code_try (code, client, wrong) VALUES (?, ?, 1) ON CONFLICT (code, client) DO UPDATE SET wrong = wrong + 1`,
    code,
    client,
  )
  database.run('UPDATE code SET wrong = wrong + 1 WHERE seq = ?', code)
  database.run('DELETE FROM code WHERE seq = ? AND wrong >= ?', code, attempts.inAll)
}
