/** Who edits what: others alone, bounded, and gone with the stream. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createPresence, PRESENT_MAX } from '../../../src/content/changes/presence.ts'

const A = 'headline/a'
const B = 'headline/b'

describe('presence', () => {
  it('tells each user the others, once each, by the documents asked for', () => {
    const presence = createPresence(() => 0)
    const beat = (stream: string, user: string, ...documents: string[]) => presence.beat({ stream, user, documents })
    assert.deepEqual(beat('1', 'ana', A, B), [[], []])
    assert.deepEqual(beat('2', 'ben', B), [['ana']])
    // A second window of one user is no other user.
    assert.deepEqual(beat('3', 'ana', A), [[]])
    assert.deepEqual(beat('4', 'ben', B), [['ana']])
    assert.deepEqual(beat('1', 'ana', A, B), [[], ['ben']])
    presence.leave('2')
    assert.deepEqual(beat('1', 'ana', A, B), [[], ['ben']], 'the other window is open still')
    presence.leave('4')
    assert.deepEqual(beat('1', 'ana', A, B), [[], []])
  })

  it('forgets a stream that says nothing any more', () => {
    let now = 0
    const presence = createPresence(() => now)
    presence.beat({ stream: '1', user: 'ana', documents: [A] })
    now = 10_000
    assert.deepEqual(presence.beat({ stream: '2', user: 'ben', documents: [A] }), [['ana']])
    now = 10_001
    assert.deepEqual(presence.beat({ stream: '2', user: 'ben', documents: [A] }), [[]])
  })

  // Attack: streams of many documents, to fill the memory of the service.
  it('keeps no more than its bound, and makes room by what is silent', () => {
    let now = 0
    const presence = createPresence(() => now)
    for (let i = 0; i < PRESENT_MAX + 10; i++) presence.beat({ stream: String(i), user: 'ana', documents: [`headline/${i}`] })
    assert.equal(presence.count(), PRESENT_MAX)
    now = 20_000
    presence.beat({ stream: 'new', user: 'ben', documents: [A] })
    assert.equal(presence.count(), 1)
  })
})
