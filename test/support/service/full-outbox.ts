/** An outbox that an attacker filled: it takes no further message. */
import { openDatabase } from '../../../src/store/db/database.ts'
import { WAITING_MESSAGES_MAX } from '../../../src/store/outbox/outbox-table.ts'
import { databaseOf, type TestService } from './service.ts'

/** All of its messages are due in a minute. */
export function fillOutbox(service: Pick<TestService, 'directory' | 'now'>): void {
  const database = openDatabase(databaseOf(service))
  const due = service.now() + 60_000
  database.run(
    `INSERT INTO outbox (id, address, sealed, state, due_at, expires_at, created_at)
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
      SELECT printf('%024d', i), i || '@flood.example.org', x'00', 'waiting', ?, ?, 0 FROM n`,
    WAITING_MESSAGES_MAX,
    due,
    due + 900_000,
  )
  database.close()
}
