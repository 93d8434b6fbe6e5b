import assert from 'node:assert/strict'
import { it } from 'node:test'
import { queryCallerOf } from '../../src/content/reads/query-caller.ts'

const { signal } = new AbortController()

it('attack: a client address makes many guests, whose queries share the turns of one group', () => {
  const groupOf = (appRole: 'guestUser' | 'standardUser', clientAddress: string) =>
    queryCallerOf({ id: 'ann', appRole, dashboardRole: 'none' }, { signal, clientAddress }).group
  assert.equal(groupOf('guestUser', '192.0.2.1'), '192.0.2.1')
  assert.equal(groupOf('guestUser', '2001:db8::1'), groupOf('guestUser', '2001:db8::2'), 'a client has a /64 of IPv6')
  assert.equal(groupOf('standardUser', '192.0.2.1'), undefined, 'a user has turns of its own')
})
