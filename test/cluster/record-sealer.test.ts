/** Sealed entries: what comes out is what went in, and nothing else opens. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { clusterKeysOf } from '../../src/cluster/cluster-keys.ts'
import { createRecordSealer, entryKeyOf } from '../../src/cluster/log/record-sealer.ts'
import { RecordUnreadable, type LogRecord } from '../../src/store/cluster/commit-log.ts'

const { entries: keys } = clusterKeysOf(['the secret in use', 'the one before'])
const sealer = createRecordSealer({ keys, site: 'site' })
const text = 'a marker text that repeats '.repeat(40)
const record: LogRecord = {
  ...{ schema: 7, node: '0123456789abcdef', id: '00112233445566778899aabbccddeeff', previous: 'f'.repeat(32) },
  changeset: Buffer.from(text),
}

function assertUnreadable(body: Uint8Array, reason: RecordUnreadable['reason'], by = sealer): void {
  assert.throws(() => by.open(body), (error) => error instanceof RecordUnreadable && error.reason === reason)
}

describe('a sealed entry', () => {
  for (const [name, changeset] of [
    ['text', Buffer.from(text)],
    ['no bytes', Buffer.alloc(0)],
    ['random bytes', randomBytes(10_000)],
    ['the longest that is not compressed', Buffer.alloc(255, 1)],
    ['the shortest that is', Buffer.alloc(256, 1)],
    ['a mebibyte of zeros', Buffer.alloc(1024 * 1024)],
  ] as const) {
    it(`opens as it was: ${name}`, () => {
      const opened = sealer.open(sealer.seal({ ...record, changeset }))
      assert.deepEqual({ ...opened, changeset: Buffer.from(opened.changeset) }, { ...record, changeset })
    })
  }

  it('is sealed with the key of the first secret, compressed, and never twice alike', () => {
    const [first, second] = [sealer.seal(record), sealer.seal(record)]
    assert.equal(entryKeyOf(first), keys[0].id)
    assert.ok(first.length < text.length / 2)
    assert.notDeepEqual(first, second)
    // Neither salt nor ciphertext is shared, so neither is a pair of key and nonce.
    assert.notDeepEqual(first.slice(49, 65), second.slice(49, 65))
    assert.equal(Buffer.from(first).includes('marker'), false)
  })

  it('does not open when any byte was changed', () => {
    const body = sealer.seal({ ...record, changeset: Buffer.from('short') })
    for (let at = 0; at < body.length; at++) {
      const changed = Buffer.from(body)
      changed[at] = (changed[at] ?? 0) ^ 1
      const isKey = at >= 45 && at < 49
      if (at === 0) assertUnreadable(changed, 'unknown-format')
      else if (isKey) assertUnreadable(changed, 'unknown-key')
      else assertUnreadable(changed, 'damaged')
    }
  })

  it('does not open when it was cut short, whatever its length', () => {
    const body = sealer.seal(record)
    for (let length = 0; length < body.length; length++) assertUnreadable(body.subarray(0, length), 'damaged')
  })

  it('does not open at another site', () => {
    assertUnreadable(sealer.seal(record), 'damaged', createRecordSealer({ keys, site: 'other' }))
  })

  it('opens with each secret of the node, and with no other', () => {
    const before = createRecordSealer({ keys: clusterKeysOf(['the one before']).entries, site: 'site' })
    assert.deepEqual(sealer.open(before.seal(record)).id, record.id)
    assertUnreadable(sealer.seal(record), 'unknown-key', before)
    // The id of a key says nothing of it, and one under a wrong id opens nothing.
    const [{ id }] = keys
    assertUnreadable(sealer.seal(record), 'damaged', createRecordSealer({ keys: [{ id, key: randomBytes(32) }], site: 'site' }))
  })
})
