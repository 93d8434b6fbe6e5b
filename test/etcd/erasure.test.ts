/** What is trimmed from the log is gone from the database of each etcd server, once it has rewritten it. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { createEtcdLog } from '../../src/cluster/log/etcd-log.ts'
import { createErasure } from '../../src/cluster/erasure.ts'
import { connectTo } from '../support/cluster/etcd-clients.ts'
import { noEtcd, startEtcd } from '../../scripts/tools/cluster/etcd-server.ts'
import { recordingLog } from '../../scripts/tools/recording-log.ts'
import { until } from '../support/until.ts'

const MARKER = 'the text of a deleted account'
const PREFIX = '/erased/'

it('an entry with deleted text is in no database of etcd after an erasure', { skip: noEtcd }, async () => {
  const servers = await startEtcd({ after })
  const etcd = connectTo({ after }, servers.endpoints)
  const { log } = recordingLog()
  const commitLog = createEtcdLog({ etcd, prefix: PREFIX, log })
  after(() => commitLog.close())
  let position = 0
  const append = async (text: string): Promise<void> => {
    const outcome = await commitLog.append(position, Buffer.from(text))
    assert.ok(outcome.kind === 'appended')
    position = outcome.position
  }
  const isInDatabase = (): boolean => readFileSync(join(servers.directory, 'e1/member/snap/db')).includes(MARKER)
  await append(MARKER)
  const time = { now: 0, ticks: 0 }
  const erasure = createErasure({
    ...{ etcd, prefix: PREFIX, log, erasures: () => 1, position: () => position, mark: () => append('nothing') },
    ...{ now: () => time.now, ticks: () => time.ticks },
  })
  await erasure.begin()
  time.ticks = time.now = 3_600_000
  await erasure.begin()
  // etcd writes a batch of transactions to its database a little later.
  await until(isInDatabase)
  await commitLog.trim(position)
  await erasure.goOn(position)
  assert.equal(isInDatabase(), false)
  assert.deepEqual(erasure.concerns(), [])
  assert.equal((await etcd.range({ key: `${PREFIX}erased` })).pairs[0]?.value.toString(), String(time.now))
})
