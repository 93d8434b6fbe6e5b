/** The first set-up: the address that serve prints, attacks on it, and the question of `admin` before it makes a site. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createSetupToken } from '../../src/auth/setup-token.ts'
import { setupLine } from '../../src/cli/serve/start-messages.ts'
import { type CheapService, runCheaply, runHere, serveCheaply } from '../support/service/in-process.ts'
import { get, post } from '../support/service/program-calls.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

const HOUR_MS = 3_600_000

async function setUp({ url }: CheapService, body: object): Promise<{ readonly status: number; readonly text: string }> {
  const response = await post(url, '/api/v1/auth/setup', body)
  return { status: response.status, text: await response.text() }
}

it('serve --print-setup prints an address that makes the first administrator once, and none later', async (t) => {
  const data = join(temporaryDirectory(t), 'data')
  const service = await serveCheaply(t, ['--data-dir', data, '--print-setup'])
  const [, address = ''] = await service.said(/^Become administrator, once and within an hour, at (\S+)\n/m)
  const [page, token = ''] = address.split('#setup=')
  assert.equal(page, `${service.url}/`)
  assert.match(token, /^[\w-]{43}$/)
  assert.equal(JSON.parse(service.output().stdout.split('\n')[0] ?? '{}').event, 'ready')
  // Attack: values that are no text. Guesses are in test/api/auth/first-admin.test.ts.
  for (const wrong of [1, null, [token], { token }]) {
    assert.equal((await setUp(service, { token: wrong, email: 'evil@example.org' })).status, 401)
  }
  assert.equal((await setUp(service, { token, email: 'nothing' })).status, 400)
  // Attack: two at once.
  const both = await Promise.all(['you', 'evil'].map((name) => setUp(service, { token, email: `${name}@example.org` })))
  // The later one finds an administrator or, where it came after the response to the first, a token that was used.
  const [first, second] = both.map(({ status }) => status).sort()
  assert.ok(first === 200 && (second === 401 || second === 403), `${first} and ${second}`)
  const made = both.find(({ status }) => status === 200)?.text ?? ''
  assert.match(made, /"dashboardRole":"admin"/)
  const session = /"token":"([^"]+)"/.exec(made)?.[1] ?? ''
  const status = await get(service.url, '/api/v1/admin/status', session)
  assert.equal(status.status, 200)
  assert.ok(!(await status.text()).includes(token))
  const log = await get(service.url, '/api/v1/admin/log?limit=1000', session)
  assert.ok(!`${await log.text()}${service.output().stderr}`.includes(token))
  await service.end('SIGTERM')
  // Attack: again, after the start that follows.
  const again = await serveCheaply(t, ['--data-dir', data, '--print-setup'])
  assert.equal((await setUp(again, { token, email: 'evil@example.org' })).status, 401)
  await again.end('SIGTERM')
  assert.doesNotMatch(again.output().stdout, /setup/)
})

it('the address of the first set-up can be opened where the service listens on every address', () => {
  for (const host of ['0.0.0.0:8080', '[::]:8080']) assert.match(setupLine(`http://${host}/#setup=x`), /at http:\/\/localhost:8080\/#setup=x\n$/)
  assert.match(setupLine('http://10.0.0.0:8080/#setup=x'), /at http:\/\/10\.0\.0\.0:8080\/#setup=x\n$/)
})

describe('the token of the first set-up', () => {
  it('lasts an hour, until it is used or another is issued', () => {
    const setup = createSetupToken()
    assert.equal(setup.check('', 0), 'wrong')
    const token = setup.issue(0)
    assert.deepEqual([setup.check(token, HOUR_MS - 1), setup.check(token, HOUR_MS)], ['valid', 'expired'])
    const next = setup.issue(0)
    assert.deepEqual([setup.check(token, 0), setup.check(next, 0)], ['wrong', 'valid'])
    setup.end()
    assert.equal(setup.check(next, 0), 'wrong')
  })
})

it('admin on a terminal names the directory, and asks before it makes a site', async (t) => {
  const data = join(temporaryDirectory(t), 'data')
  const admin = (input: string, ...more: readonly string[]) =>
    runHere(['admin', '--email', 'you@example.org', '--data-dir', data, ...more], { input, isTerminal: true })
  for (const input of ['', 'n\n', '\n', 'sure\n']) {
    const { code, stdout, stderr } = await admin(input)
    assert.deepEqual([code, stdout, existsSync(data)], [1, '', false])
    assert.match(stderr, /^There is no site in ".*data". Make a new one there\? \[y\/N\] Nothing was made: name the directory of the site with --data-dir\n$/)
  }
  assert.equal((await admin('y\n')).stdout, 'you@example.org is a new administrator\n')
  const again = await admin('')
  assert.deepEqual([again.code, again.stdout], [0, 'you@example.org is an administrator already\n'])
  assert.match(again.stderr, /^The site in ".*data":\n$/)
  const other = await runHere(['admin', '--email', 'you@example.org', '--data-dir', `${data}-2`, '--yes'], { isTerminal: true })
  assert.equal(other.code, 0)
})

it('admin without a terminal makes no site by itself, and says with which command it does', async (t) => {
  const data = join(temporaryDirectory(t), 'data')
  const words = ['admin', '--email', 'you@example.org', '--data-dir', data]
  const refused = await runCheaply([...words, '--code'], { input: 'y\n' })
  assert.deepEqual([refused.code, refused.stdout, existsSync(data)], [2, '', false])
  const [, found = '', next = ''] = /^There is no site in "(.*)": name the directory of yours with --data-dir, or make a new one there: .* (admin .*)\n$/.exec(refused.stderr) ?? []
  assert.deepEqual([found, next], [data, `admin --email you@example.org --code --yes --data-dir ${JSON.stringify(data)}`])
  assert.equal((await runCheaply([...words, '--yes'])).stdout, 'you@example.org is a new administrator\n')
  assert.equal((await runCheaply(words)).stdout, 'you@example.org is an administrator already\n')
})

it('seed asks before it makes a site, too, and without a terminal makes none by itself', async (t) => {
  const data = join(temporaryDirectory(t), 'data')
  const asked = await runHere(['seed', '--data-dir', data], { input: 'n\n', isTerminal: true })
  assert.deepEqual([asked.code, asked.stdout, existsSync(data)], [1, '', false])
  assert.match(asked.stderr, /^There is no site in ".*data". Make a new one there\? \[y\/N\] Nothing was made/)
  const refused = await runCheaply(['seed', '--json', '--flag-base-url', '/flags', '--data-dir', data], { input: 'y\n' })
  assert.deepEqual([refused.code, refused.stdout, existsSync(data)], [2, '', false])
  assert.ok(refused.stderr.endsWith(` seed --json --flag-base-url /flags --yes --data-dir ${JSON.stringify(data)}\n`), refused.stderr)
  const made = await runHere(['seed', '--data-dir', data], { input: 'y\n', isTerminal: true })
  assert.match(made.stderr, /Made a new site in ".*data": it had no database/)
})
