/** Histories of clients that a cluster served well, and each with one thing changed that a cluster must not do. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { faultsOfHistory } from '../../../scripts/cluster/history-verdict.ts'
import type { FinalState, Operation } from '../../../scripts/cluster/operation.ts'

const DONE = { client: 1, node: 1, outcome: 'ok', status: 200 } as const

function at(start: number, operation: Partial<Operation> & Pick<Operation, 'kind' | 'key'>): Operation {
  return { ...DONE, start, end: start + 5, ...operation }
}

const HISTORY: readonly Operation[] = [
  at(0, { kind: 'write', key: 'r', value: 'a', position: 10 }),
  at(10, { kind: 'write', key: 'r', value: 'b', expected: 'a', sent: 10, position: 11, client: 2 }),
  at(20, { kind: 'strongRead', key: 'r', value: 'b', position: 11, client: 3 }),
  at(30, { kind: 'write', key: 'r', value: 'x', expected: 'a', outcome: 'failed', status: 412, client: 4 }),
  at(40, { kind: 'write', key: 'r', value: 'c', expected: 'b', outcome: 'unknown', status: 0, client: 4 }),
  at(50, { kind: 'plainRead', key: 'r', value: 'a', client: 5 }),
  at(60, { kind: 'sessionRead', key: 'r', value: 'b', sent: 11, position: 12, client: 2 }),
  at(70, { kind: 'write', key: 'r', value: 'y', expected: 'b', outcome: 'failed', status: 503, client: 3 }),
  at(0, { kind: 'append', key: 'l', value: '1', expected: '', position: 9 }),
  at(10, { kind: 'append', key: 'l', value: '2', expected: '1', position: 10, client: 2 }),
  at(20, { kind: 'append', key: 'l', value: '3', expected: '2', outcome: 'unknown', status: 0, client: 3 }),
  at(30, { kind: 'strongRead', key: 'l', value: '2', list: ['1', '2'], client: 4 }),
  at(0, { kind: 'insert', key: 'kept' }),
  at(0, { kind: 'insert', key: 'perhaps', outcome: 'unknown', status: 503 }),
  at(0, { kind: 'insert', key: 'refused', outcome: 'failed', status: 503 }),
  at(0, { kind: 'useCode', key: 'a@example.org 123456', value: 'account-a' }),
  at(1, { kind: 'useCode', key: 'a@example.org 123456', outcome: 'failed', status: 400, client: 2 }),
  at(0, { kind: 'useCode', key: 'b@example.org 123456', outcome: 'unknown', status: 0 }),
  at(9, { kind: 'useCode', key: 'b@example.org 123456', outcome: 'failed', status: 400 }),
  at(0, { kind: 'addUser', key: 'c@example.org', value: 'account-c' }),
  at(1, { kind: 'addUser', key: 'c@example.org', outcome: 'failed', status: 409, client: 2 }),
  at(0, { kind: 'convert', key: 'guest-1', value: 'd@example.org' }),
  at(1, { kind: 'convert', key: 'guest-1', value: 'e@example.org', outcome: 'failed', status: 400, client: 2 }),
  at(0, { kind: 'setLimit', key: 'followed', value: '3' }),
  at(10, { kind: 'follow', key: 'followed', value: '3', client: 2 }),
  at(20, { kind: 'follow', key: 'followed', value: '4', outcome: 'failed', status: 403, client: 2 }),
  at(30, { kind: 'setLimit', key: 'followed', value: '6' }),
  at(31, { kind: 'follow', key: 'followed', value: '4', client: 2 }),
  at(32, { kind: 'follow', key: 'followed', value: '4', outcome: 'failed', status: 403, client: 3 }),
  at(40, { kind: 'setLimit', key: 'followed', value: '2', outcome: 'unknown', status: 0 }),
  at(90, { kind: 'follow', key: 'followed', value: '4', outcome: 'failed', status: 403, client: 3 }),
]

const FINAL: FinalState = {
  lists: new Map([['l', ['1', '2', '3']]]),
  inserted: new Map([['kept', 1]]),
  accounts: new Map([
    ['a@example.org', ['account-a']],
    ['c@example.org', ['account-c']],
    ['d@example.org', ['guest-1']],
  ]),
}

it('a history of a cluster that works has no faults', () => {
  assert.deepEqual(faultsOfHistory(HISTORY, FINAL), [])
})

describe('faultsOfHistory() finds', () => {
  for (const [name, more, wanted] of [
    ['a stale strong read', at(26, { kind: 'strongRead', key: 'r', value: 'a' }), /^r is not linearizable: .* read a /],
    ['a lost write', at(26, { kind: 'strongRead', key: 'r', value: '' }), /^r is not linearizable/],
    ['a write that failed and happened', at(80, { kind: 'strongRead', key: 'r', value: 'y' }), /^r is not linearizable/],
    ['an update of an old version', at(26, { kind: 'write', key: 'r', value: 'z', expected: 'a' }), /^r is not linearizable/],
    ['a client that does not read its own write', at(80, { kind: 'sessionRead', key: 'r', value: 'a', sent: 11, position: 12, client: 2 }), /^r is not/],
    ['a read older than its position', at(80, { kind: 'sessionRead', key: 'r', value: 'a', sent: 11, position: 12, client: 9 }), /^r is not/],
    ['a plain read from the future', at(2, { kind: 'plainRead', key: 'r', value: 'b' }), /^r: client 1 read "b" before it was written$/],
    ['a plain read of a failed write', at(99, { kind: 'plainRead', key: 'r', value: 'y' }), /before it was written$/],
    ['a position that goes back', at(80, { kind: 'sessionRead', key: 'r', value: 'b', sent: 12, position: 11 }), /^client 1 sent position 12 to node 1 and got 11 from a sessionRead$/],
    ['a response without a position', at(80, { kind: 'strongRead', key: 'r', value: 'b', sent: 12 }), /got none/],
    ['a lost append', at(80, { kind: 'append', key: 'l', value: '9', outcome: 'ok' }), /^l: the append 9 of client 1 is lost, although/],
    ['an append that failed and is there', at(15, { kind: 'append', key: 'l', value: '3', outcome: 'failed' }), /^l: the append 3 .* is there, although/],
    ['a list in another order', at(35, { kind: 'sessionRead', key: 'l', value: '2', list: ['2'], client: 8 }), /^l: a sessionRead of client 8 saw another order$/],
    ['a lost insert', at(0, { kind: 'insert', key: 'gone' }), /^the insert gone .* is lost/],
    ['an insert that failed and is there', at(0, { kind: 'insert', key: 'kept', outcome: 'failed' }), /^the insert kept .* although it failed$/],
    ['a code that works twice', at(9, { kind: 'useCode', key: 'a@example.org 123456', value: 'account-a' }), /^the code .* signed in 2 times$/],
    ['a code that never works', at(9, { kind: 'useCode', key: 'f@example.org 1', outcome: 'failed', status: 400 }), /never signed in, in 1 tries$/],
    ['an account that is lost', at(9, { kind: 'addUser', key: 'f@example.org', value: 'account-f' }), /^f@example.org was told to be account-f, and is lost$/],
    ['two accounts of one email', at(9, { kind: 'addUser', key: 'c@example.org', value: 'account-x' }), /told to be account-x, and is account-c$/],
    ['a guest who becomes two accounts', at(9, { kind: 'convert', key: 'guest-1', value: 'e@example.org' }), /^the guest guest-1 became d@example.org and e@example.org$/],
    ['a guest who lost the account', at(9, { kind: 'convert', key: 'guest-2', value: 'd@example.org' }), /is not that account$/],
    ['more items than the limit', at(20, { kind: 'follow', key: 'followed', value: '4' }), /^took 4 items of client 1 with the limit 3$/],
    ['fewer items than the limit refused', at(20, { kind: 'follow', key: 'followed', value: '3', outcome: 'failed', status: 403 }), /^refused 3 items/],
  ] as const) {
    it(name, () => {
      const faults = faultsOfHistory([...HISTORY, more], FINAL)
      assert.equal(faults.length, 1, faults.join('\n'))
      assert.match(faults[0] ?? '', wanted)
    })
  }

  for (const [name, changed, wanted] of [
    ['an append that is there twice', { lists: new Map([['l', ['1', '2', '3', '2']]]) }, /^l: the append 2 .* is there 2 times$/],
    ['an insert that is there twice', { inserted: new Map([['kept', 1], ['perhaps', 2]]) }, /^the insert perhaps .* is there 2 times$/],
    ['an email with two accounts', { accounts: new Map([...FINAL.accounts, ['b@example.org', ['1', '2']]]) }, /^b@example.org has 2 accounts: 1, 2$/],
  ] as const) {
    it(name, () => {
      const faults = faultsOfHistory(HISTORY, { ...FINAL, ...changed })
      assert.equal(faults.length, 1, faults.join('\n'))
      assert.match(faults[0] ?? '', wanted)
    })
  }
})
