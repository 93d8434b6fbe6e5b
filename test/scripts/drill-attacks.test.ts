/** The list of attacks, the command line of their drill, and services that do not respond. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { it } from 'node:test'
import { ATTACKS } from '../../scripts/attacks/attack-list.ts'
import { runInTime, type Site } from '../../scripts/attacks/attack.ts'
import { sendHostileRequests } from '../../scripts/attacks/hostile-requests.ts'
import { connectFrom } from '../../scripts/attacks/loopback-client.ts'
import { readAttackWords } from '../../scripts/drill-attacks.ts'

it('every attack has a name of its own', () => {
  assert.equal(new Set(ATTACKS.map(({ name }) => name)).size, ATTACKS.length)
  for (const { name } of ATTACKS) assert.match(name, /^[a-z0-9]+(?:-[a-z0-9]+)*$/)
})

it('the command line names attacks, a size and an executable', () => {
  assert.deepEqual(readAttackWords(['--quick', 'late-bodies', '--size', '500']), {
    isQuick: true,
    headlines: 500,
    executable: undefined,
    names: ['late-bodies'],
  })
  for (const words of [['--size', '0'], ['--size', 'many'], ['--fast']]) assert.equal(readAttackWords(words), undefined)
})

// It waited for the response first, and then asked whether that was in time.
it('hostile requests without a response are faults', async (t) => {
  const server = createServer((socket) => void socket.resume().on('error', () => {})).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => void server.close())
  const { port } = server.address() as AddressInfo
  const { faults } = await sendHostileRequests(
    {
      port,
      publisher: { id: 'x', token: 'a.b.c' },
      connect: (from) => connectFrom(port, from),
      newAddress: () => '127.0.0.1',
    },
    50,
  )
  assert.equal(faults.filter((fault) => fault.endsWith(': no response')).length, 40)
})

it('an attack that does not come to an end fails', async () => {
  const site = {} as Site
  const outcome = { notes: [], faults: [] }
  await assert.rejects(runInTime({ run: () => new Promise(() => {}) }, site, 10), /^Error: not over after 0\.01 s$/)
  await assert.rejects(runInTime({ run: () => Promise.reject(new Error('no site')) }, site), /^Error: no site$/)
  assert.equal(await runInTime({ run: () => Promise.resolve(outcome) }, site), outcome)
})
