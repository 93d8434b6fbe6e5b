/** A full outbox: the response, which does not tell whether an account exists. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { join } from 'node:path'
import { openDatabase } from '../../../src/store/db/database.ts'
import { WAITING_MESSAGES_MAX } from '../../../src/store/outbox/outbox-table.ts'
import { authCalls } from '../../support/service/auth-calls.ts'
import { decodeError } from '../../support/service/client-codec.ts'
import { startService } from '../../support/service/service.ts'

it('request-code responds with 503 and Retry-After while the outbox is full, and with 202 afterwards', async (t) => {
  const service = await startService(t)
  const { requestCode, verify } = authCalls(service)
  const reader = await service.signIn('reader@example.org')
  const code = await service.codeFor('reader@example.org')
  const database = openDatabase(join(service.directory, 'data', 'dateline.db'))
  t.after(() => database.close())
  const later = service.now() + 60_000
  database.run(
    `INSERT INTO outbox (id, address, sealed, state, due_at, expires_at, created_at)
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
      SELECT printf('%024d', i), i || '@flood.example.org', x'00', 'waiting', ?, ?, 0 FROM n`,
    WAITING_MESSAGES_MAX,
    later,
    later + 900_000,
  )
  const responses = []
  for (const email of ['reader@example.org', 'unknown@example.org']) {
    const response = await requestCode({ email })
    assert.deepEqual([response.status, decodeError(response.body).code], [503, 'networkError'])
    assert.equal(response.headers.get('retry-after'), '60')
    assert.match(response.error, /No code can be sent now, too many messages wait for the mail server: try again later/)
    responses.push(response.text)
  }
  assert.equal(responses[0], responses[1])
  assert.equal((await verify({ email: reader.user['email'], code })).status, 200, 'the code before is good')
  database.run("DELETE FROM outbox WHERE id = '000000000000000000000001'")
  assert.equal((await requestCode({ email: 'unknown@example.org' })).status, 202)
})
