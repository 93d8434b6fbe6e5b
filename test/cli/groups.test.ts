import assert from 'node:assert/strict'
import { it } from 'node:test'
import { runCheaply } from '../support/service/in-process.ts'

for (const { words, code, says } of [
  { words: ['user'], code: 2, says: /^dateline user needs one of "dateline user list", / },
  { words: ['user', 'lst'], code: 2, says: /^Unknown command "user lst": did you mean "user list"\?$/m },
  { words: ['user', 'foo'], code: 2, says: /^Unknown command "user foo": expected "dateline user list", / },
  { words: ['user', 'frobnicate'], code: 2, says: /^Unknown command "user frobnicate": expected "dateline user list", / },
  { words: ['version', 'list'], code: 2, says: /^dateline version takes no argument "list"$/m },
  { words: ['user', 'show', 'a', 'b'], code: 2, says: /^dateline user show takes USER and nothing behind it, found "b"$/m },
  { words: ['admin', '--email', 'nope'], code: 2, says: /^Cannot use --email "nope": expected an e-mail address such as name@example\.org$/m },
  { words: ['help', 'user'], code: 0, says: /^ {2}user show +show an account/m },
  { words: ['help', 'user', 'show'], code: 0, says: /^Operands:\n {2}USER +the e-mail address or the id of a user$/m },
  { words: ['user', 'show', '--help'], code: 0, says: /^dateline user show: show an account/ },
]) {
  it(`dateline ${words.join(' ')} ends with ${code}`, async () => {
    const done = await runCheaply(words)
    assert.equal(done.code, code, done.stderr)
    assert.match(code === 0 ? done.stdout : done.stderr, says)
  })
}
