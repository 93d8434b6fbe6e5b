/** The parts of the drill of a cluster that can be tried without one. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openFaultyProxy } from '../../../scripts/cluster/faulty-proxy.ts'
import { checkPlantedBugs, withBug } from '../../../scripts/cluster/planted-bugs.ts'
import { differencesOf, hashTables } from '../../../scripts/cluster/table-hashes.ts'
import { openDatabase } from '../../../src/store/sqlite/database.ts'
import { temporaryDirectory } from '../../support/service/temporary-directory.ts'

it('a faulty proxy delays bytes in their order, and drops responses from an append on until it heals', async (t) => {
  const received: string[] = []
  const echo = createServer((socket) => {
    socket.on('error', () => {}).on('data', (bytes) => {
      received.push(String(bytes))
      socket.write(bytes)
    })
  }).listen(0, '127.0.0.1')
  await once(echo, 'listening')
  const proxy = await openFaultyProxy({ host: '127.0.0.1', port: (echo.address() as AddressInfo).port })
  const client = connect(Number(new URL(proxy.url).port), '127.0.0.1').on('error', () => {})
  t.after(() => {
    client.destroy()
    proxy.close()
    echo.close()
  })
  let text = ''
  client.on('data', (bytes) => void (text += String(bytes)))
  proxy.set({ kind: 'delay', ms: 30 })
  client.write('first ')
  proxy.set(undefined)
  client.write('second')
  while (text.length < 'first second'.length) await once(client, 'data')
  assert.equal(text, 'first second')
  proxy.set({ kind: 'drop' })
  const entry = 'x'.repeat(512)
  client.write(entry)
  while (!received.join('').endsWith(entry)) await new Promise((resolve) => setImmediate(resolve))
  const closed = once(client, 'close')
  proxy.set(undefined)
  await closed
  assert.equal(text, 'first second')
})

describe('tables of nodes', () => {
  function made(t: { after(work: () => void): void }, ...statements: readonly string[]) {
    const file = join(temporaryDirectory(t), 'dateline.db')
    const database = openDatabase(file)
    for (const statement of ['CREATE TABLE a (x, y)', 'CREATE TABLE b (z)', ...statements]) database.exec(statement)
    database.close()
    return hashTables(statements.length, file)
  }

  it('are the same where the rows are, in any order', (t) => {
    const one = made(t, "INSERT INTO a VALUES (1, x'00'), (2, 'text')")
    const other = made(t, "INSERT INTO a VALUES (2, 'text')", "INSERT INTO a VALUES (1, x'00')")
    assert.deepEqual(differencesOf([one, other]), [])
  })

  it('differ by a row, by a value and by a table', (t) => {
    const one = made(t, 'INSERT INTO b VALUES (1)')
    assert.match(differencesOf([one, made(t)]).join(), /^the table b differs: node 1 has \w+ of 1 rows, node 0 has \w+ of 0 rows$/)
    assert.equal(differencesOf([one, made(t, 'INSERT INTO b VALUES (2)')]).length, 1)
    assert.match(differencesOf([one, made(t, 'INSERT INTO b VALUES (1)', 'CREATE TABLE c (z)')]).join(), /^the table c .* has none/)
  })
})

it('a bug is planted where its statement is there once', () => {
  const bug = { does: '', file: 'src/a.ts', statement: 'if (ready) go()', replacement: 'go()', fault: 'killNode' } as const
  assert.equal(withBug('x\nif (ready) go()\ny', bug), 'x\ngo()\ny')
  assert.throws(() => withBug('go()', bug), /^Error: Cannot plant a bug in src\/a\.ts: expected "if \(ready\) go\(\)" once, found it 0 times$/)
  assert.throws(() => withBug('if (ready) go(); if (ready) go()', bug), /found it 2 times/)
})

it('every planted bug fits the sources', () => checkPlantedBugs())
