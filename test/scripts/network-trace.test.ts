import assert from 'node:assert/strict'
import { it } from 'node:test'
import { contactsIn, foreignContacts } from '../../scripts/network-trace.ts'

for (const [name, line, isForeign] of [
  [
    'a server of this machine',
    'connect(21, {sa_family=AF_INET, sin_port=htons(25), sin_addr=inet_addr("127.0.0.1")}, 16) = 0',
    false,
  ],
  [
    'a server elsewhere',
    '4711  connect(21, {sa_family=AF_INET, sin_port=htons(443), sin_addr=inet_addr("192.0.2.1")}, 16) = -1 EINPROGRESS',
    true,
  ],
  [
    'a server elsewhere by version 6',
    'connect(21, {sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "2001:db8::1", &sin6_addr), sin6_scope_id=0}, 28) = 0',
    true,
  ],
  [
    'a resolver of this machine',
    'connect(21, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("127.0.0.53")}, 16) = 0',
    true,
  ],
  [
    'an address that only begins like one of this machine',
    'connect(2, {sin_port=htons(1), sin_addr=inet_addr("127.0.0.1.example")}, 16) = 0',
    true,
  ],
  ['all addresses', 'bind(20, {sa_family=AF_INET, sin_port=htons(0), sin_addr=inet_addr("0.0.0.0")}, 16) = 0', true],
] as const) {
  it(`${name} is ${isForeign ? '' : 'not '}foreign`, () => {
    assert.equal(contactsIn(line).length, 1)
    assert.equal(foreignContacts(line).length, isForeign ? 1 : 0)
  })
}

it('what is no address of IP is not looked at', () => {
  const trace =
    'socket(AF_UNIX, SOCK_STREAM, 0) = 3\nconnect(3, {sa_family=AF_UNIX, sun_path="/run/nscd/socket"}, 110) = -1\n'
  assert.deepEqual(contactsIn(trace), [])
})
