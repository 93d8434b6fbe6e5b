/** The parts of the drill of a cluster that can be tried without one. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openFaultyProxy } from '../../../scripts/cluster/faulty-proxy.ts'
import { checkPlantedBugs, withBug } from '../../../scripts/cluster/planted-bugs.ts'
import { openSpreadingProxy } from '../../../scripts/cluster/spreading-proxy.ts'
import { differencesOf, hashTables } from '../../../scripts/cluster/table-hashes.ts'
import { readClusterWords } from '../../../scripts/drill-cluster.ts'
import { openDatabase } from '../../../src/store/sqlite/database.ts'
import { seededRandom, seedOfRun } from '../../support/random.ts'
import { temporaryDirectory } from '../../support/service/temporary-directory.ts'

const sleeper = new Int32Array(new SharedArrayBuffer(4))

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

describe('a faulty proxy', () => {
  /** A server that echoes, and a client of the proxy before it. */
  async function start(t: { after(work: () => void): void }) {
    const received: string[] = []
    const echo = createServer((socket) => {
      socket.on('error', () => {}).on('data', (bytes) => {
        received.push(String(bytes))
        socket.write(bytes)
      })
    })
    const proxy = await openFaultyProxy({ host: '127.0.0.1', port: await listen(echo) })
    const client = connect(Number(new URL(proxy.url).port), '127.0.0.1').on('error', () => {})
    t.after(() => {
      client.destroy()
      proxy.close()
      echo.close()
    })
    return { proxy, client, received }
  }
  const next = async (socket: Socket): Promise<string> => String((await once(socket, 'data'))[0])

  it('passes bytes, and delays them in their order', async (t) => {
    const { proxy, client } = await start(t)
    client.write('first')
    assert.equal(await next(client), 'first')
    proxy.set({ kind: 'delay', ms: 30 })
    client.write('second')
    assert.equal(await next(client), 'second')
    client.write('third ')
    proxy.set(undefined)
    client.write('fourth')
    let text = ''
    while (text.length < 'third fourth'.length) text += await next(client)
    assert.equal(text, 'third fourth')
  })

  it('keeps the order of bytes where the delay changes and timers are late', async (t) => {
    const { proxy, client, received } = await start(t)
    const random = seededRandom(seedOfRun())
    client.setNoDelay(true)
    let sent = ''
    for (let i = 0; i < 300; i++) {
      proxy.set(random.pick([undefined, { kind: 'delay', ms: 1 }, { kind: 'delay', ms: 3 }, { kind: 'delay', ms: 7 }]))
      sent += `${i} `
      client.write(`${i} `)
      await new Promise((resolve) => setImmediate(resolve))
      if (random.pick([true, false])) Atomics.wait(sleeper, 0, 0, 4)
    }
    while (received.join('').length < sent.length) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(received.join(''), sent)
  })

  it('drops responses from an append on, and cuts the connection when it heals', async (t) => {
    const { proxy, client, received } = await start(t)
    proxy.set({ kind: 'drop' })
    client.write('first')
    await next(client)
    const entry = 'x'.repeat(512)
    client.write(entry)
    while (received.length < 2) await new Promise((resolve) => setImmediate(resolve))
    const closed = new Promise((resolve) => client.once('close', resolve))
    proxy.set(undefined)
    await closed
    assert.deepEqual([received, client.bytesRead], [['first', entry], 'first'.length])
  })

  it('cuts a link in both directions without a word to either side', async (t) => {
    const { proxy, client, received } = await start(t)
    client.write('first')
    await next(client)
    proxy.set({ kind: 'cut' })
    client.write('second')
    const closed = new Promise((resolve) => client.once('close', resolve))
    proxy.set(undefined)
    await closed
    assert.deepEqual(received, ['first'])
  })
})

it('a spreading proxy takes the nodes in turn, and sends the newest position of all', async (t) => {
  const seen: string[] = []
  const nodes = ['7', '5', '9'].map((position, i) =>
    createHttpServer((incoming, response) => {
      seen.push(`${i} ${String(incoming.headers['x-dateline-position'])}`)
      response.setHeader('X-Dateline-Position', position).end(incoming.url)
    }),
  )
  const proxy = await openSpreadingProxy(await Promise.all(nodes.map(listen)))
  t.after(() => {
    proxy.close()
    for (const node of nodes) node.close()
  })
  for (let i = 0; i < 4; i++) assert.equal(await (await fetch(`${proxy.url}/${i}`)).text(), `/${i}`)
  assert.deepEqual(seen, ['0 undefined', '1 7', '2 7', '0 9'])
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

it('the command line names minutes, an etcd and whether bugs are planted', () => {
  assert.deepEqual(readClusterWords([]), { minutes: 3, etcd: 'etcd', hasBugs: true })
  assert.deepEqual(readClusterWords(['--minutes', '0.5', '--no-bugs', '--etcd', '/opt/etcd']), { minutes: 0.5, etcd: '/opt/etcd', hasBugs: false })
  for (const words of [['--minutes'], ['--minutes', '0'], ['--minutes', 'x'], ['--etcd'], ['fast']]) assert.equal(readClusterWords(words), undefined)
})
