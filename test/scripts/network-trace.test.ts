import assert from 'node:assert/strict'
import { it } from 'node:test'
import { contactsIn, foreignContacts } from '../../scripts/network-trace.ts'

it('a trace shows foreign contacts of IP, and none of this machine or of Unix sockets', () => {
  for (const [line, contacts, foreign] of [
    ['connect(21, {sa_family=AF_INET, sin_port=htons(25), sin_addr=inet_addr("127.0.0.1")}, 16) = 0', 1, 0],
    ['4711  connect(21, {sa_family=AF_INET, sin_port=htons(443), sin_addr=inet_addr("192.0.2.1")}, 16) = -1 EINPROGRESS', 1, 1],
    ['connect(21, {sa_family=AF_INET6, sin6_port=htons(443), inet_pton(AF_INET6, "2001:db8::1", &sin6_addr)}, 28) = 0', 1, 1],
    ['sendto(21, "x", 1, 0, {sa_family=AF_INET, sin_port=htons(123), sin_addr=inet_addr("192.0.2.1")}, 16) = 1', 1, 1],
    // A resolver of this machine asks others.
    ['connect(21, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("127.0.0.53")}, 16) = 0', 1, 1],
    ['bind(20, {sa_family=AF_INET, sin_port=htons(0), sin_addr=inet_addr("0.0.0.0")}, 16) = 0', 1, 1],
    ['connect(3, {sa_family=AF_UNIX, sun_path="/run/nscd/socket"}, 110) = -1', 0, 0],
  ] as const) {
    assert.deepEqual([contactsIn(line).length, foreignContacts(line).length], [contacts, foreign], line)
  }
})
