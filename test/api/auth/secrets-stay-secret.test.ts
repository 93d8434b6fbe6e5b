/** Nothing that opens an account is written anywhere but into the mail and the response. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { authCalls, otherCode } from '../../support/service/auth-calls.ts'
import { badTokens } from '../../support/service/bad-tokens.ts'
import { startService } from '../../support/service/service.ts'

/** Every file below the directory. */
function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

it('log lines, error bodies and the data directory hold no code and no token, and logs no address', async (t) => {
  const service = await startService(t, { rateLimits: 'on', codesPerEmail: '3', wrongCodesPerEmail: '4' })
  const { requestCode, verify, me, signOut, deleteAccount } = authCalls(service)
  const secrets = new Map<string, string>()
  const bodies: string[] = []
  const note = (name: string, ...values: string[]): void => values.forEach((value) => secrets.set(value, name))

  const bad = await badTokens(service)
  for (const { name, token } of bad) {
    note(`token ${name}`, token)
    bodies.push((await me(token)).text)
  }
  const email = 'very-private-reader@example.org'
  const guest = await service.guest()
  note('token of a guest', guest.token)
  const wrong = await service.codeFor(email)
  note('code', wrong)
  for (let i = 1; i <= 6; i++) {
    const tried = otherCode(wrong, i * 7919)
    note('wrong code', tried)
    bodies.push((await verify({ email, code: tried }, { token: guest.token })).text)
  }
  for (let i = 0; i < 5; i++) bodies.push((await requestCode({ email })).text)
  for (const mail of await service.mails(email)) note('code', /\b\d{6}\b/.exec(mail)?.[0] ?? '')
  bodies.push((await requestCode({ email, isDashboardLogin: true })).text)
  const other = await service.signIn('another-private-reader@example.org', { token: guest.token })
  note('token of a user', other.token)
  bodies.push((await verify(`{"email":"${email}","code":"654321","oops`)).text)
  note('code in a broken body', '654321')
  bodies.push((await service.call('GET', `/api/v1/auth/me?access_token=${other.token}`)).text)
  bodies.push((await service.data('GET', '', { model: 'user', filter: { email } }, { token: other.token })).text)
  await signOut(other.token)
  const last = await service.signIn('another-private-reader@example.org')
  note('token of a user', last.token)
  await deleteAccount(last.token)
  note('secret of the tokens', readFileSync(join(service.directory, 'data', 'secrets'), 'utf8').trim())
  await service.app.idle()

  const log = await service.logged()
  assert.ok(log.length > 25, 'there is a log to look at')
  for (const [secret, name] of secrets) {
    if (secret.length < 6) continue
    for (const line of log) assert.ok(!withoutNumbers(line).includes(secret), `the log names a ${name}: ${line}`)
    for (const body of bodies) assert.ok(!withoutNumbers(body).includes(secret), `a response names a ${name}: ${body}`)
  }
  assert.ok(log.every((line) => !line.includes('private-reader')), 'addresses are not logged')

  const data = join(service.directory, 'data')
  for (const file of filesIn(data).filter((name) => !name.endsWith('/secrets'))) {
    const bytes = readFileSync(file)
    for (const [secret, name] of secrets) {
      if (/^\d{6}$/.test(secret)) assert.ok(!bytes.includes(`"code":"${secret}"`), `${file} holds a ${name}`)
      else if (secret.length > 20) assert.ok(!bytes.includes(secret), `${file} holds a ${name}`)
    }
    assert.equal(statSync(file).mode & 0o077, 0, `${file} is for its owner alone`)
  }
})

/** Ids, times and durations in a line may hold the six digits of a code by chance. */
function withoutNumbers(line: string): string {
  return line.replaceAll(/"[0-9a-f]{24}"|"(?:time|timestamp|response)":"[^"]*"/g, '""').replaceAll(/"(?:ms|bytes)":[\d.]+/g, '')
}
