// isolated: it looks at the time that the process takes
/** Accounts and tokens from the command line, beside a running service. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runCheaply, serveCheaply } from '../support/service/in-process.ts'
import { me } from '../support/service/program-calls.ts'
import { BOSS, siteWithBoss, startedSite } from '../support/service/made-site.ts'
import { type Finished } from '../../scripts/tools/program.ts'
import type { Cleanup } from '../../scripts/tools/temporary-directory.ts'

interface Site {
  dateline(...words: string[]): Promise<Finished>
  status(token: string): Promise<number>
  guest(): Promise<{ id: string; token: string }>
  log(): string
}

async function site(t: Cleanup): Promise<Site> {
  const data = await startedSite(t)
  const service = await serveCheaply(t, ['--data-dir', data, '--admin-email', 'boss@example.org'])
  return {
    dateline: (...words) => runCheaply([...words, '--data-dir', data]),
    status: async (token) => (await me(service.url, token)).status,
    guest: async () => {
      const headers = { 'user-agent': 'Reader/1.0 \u009b31m(phone)' }
      const response = await fetch(`${service.url}/api/v1/auth/anonymous`, { method: 'POST', headers })
      const { data: signed } = (await response.json()) as { data: { user: { id: string }; token: string } }
      return { id: signed.user.id, token: signed.token }
    },
    log: () => service.output().stderr,
  }
}

it('a token works at once beside the running service, is listed, and can be ended', async (t) => {
  const { dateline, status, log } = await site(t)
  const made = await dateline('token', '--email', ' Boss@example.org', '--ttl', '2h', '--label', 'nightly\nimport', '--json')
  assert.equal(made.code, 0, made.stderr)
  const { token, session, expiresAt } = JSON.parse(made.stdout) as Record<string, string>
  assert.equal(await status(token ?? ''), 200)
  const hours = (Date.parse(expiresAt ?? '') - Date.now()) / 3_600_000
  assert.ok(hours > 1.9 && hours <= 2, `it holds for ${hours} hours`)
  const shown = await dateline('user', 'show', 'boss@example.org')
  assert.match(shown.stdout, new RegExp(`^${session}  .*  nightly import$`, 'm'))
  assert.doesNotMatch(shown.stdout + log(), new RegExp(String(token?.split('.')[2])))
  const ended = await dateline('user', 'sign-out', 'boss@example.org', '--session', session ?? '')
  assert.deepEqual([ended.code, await status(token ?? '')], [0, 401])
  assert.match((await dateline('user', 'show', 'boss@example.org')).stdout, /\nNot signed in\n$/)
})

it('an account is invited with and without a mail, which waits for the service', async (t) => {
  const { dateline } = await site(t)
  // Without a mail server the service would print it, and call it delivered.
  const lost = /: mail is not set up: start the service with --mail, .* give users a code by "dateline user code"/
  const quiet = await dateline('user', 'invite', 'quiet@example.org')
  assert.match(quiet.stdout, /^quiet@example\.org has an account: no mail is sent, because mail is not set up: /)
  assert.match((await dateline('user', 'invite', 'quiet@example.org', '--again')).stderr, lost)
  assert.equal((await dateline('user', 'invite', 'silent@example.org', '--no-mail')).stdout, 'silent@example.org has an account: no mail is sent\n')
  assert.equal((await dateline('settings', 'set', 'mail', 'smtp://127.0.0.1:1', '--mail-ports', '1')).code, 0)
  const refused = await dateline('user', 'invite', 'quiet@example.org', '--again')
  assert.match(refused.stderr, /Cannot invite by mail: no address of the dashboard is set/)
  assert.equal((await dateline('settings', 'set', 'invitationUrl', 'https://news.example.org')).code, 0)
  const words = ['user', 'invite', 'desk@example.org', '--language', 'de']
  const invited = await dateline(...words)
  assert.equal(invited.stdout, 'desk@example.org has an account: the invitation is in the outbox\n', invited.stderr)
  assert.equal((await dateline('user', 'invite', 'quiet@example.org', '--again')).stdout, 'quiet@example.org is invited again: the invitation is in the outbox\n')
  assert.match((await dateline(...words)).stderr, /exists already/)
  assert.equal((await dateline('user', 'invite', 'a@example.org\nBcc: b@example.org')).code, 2)
  const unknown = await dateline('user', 'invite', 'new@example.org', '--language', 'xx')
  assert.match(unknown.stderr, /Unknown language "xx": expected one of en, /)
  const outbox = JSON.parse((await dateline('mail', 'outbox', '--json')).stdout.split('\n')[0] ?? '') as Record<string, unknown>
  assert.ok(JSON.stringify(outbox).includes('invitation'))
})

it('signing out everywhere ends what was issued before, and nothing after', async (t) => {
  const { dateline, status } = await site(t)
  const tokenOf = async (): Promise<string> => (await dateline('token', '--email', 'boss@example.org')).stdout.trim()
  const [first, second] = [await tokenOf(), await tokenOf()]
  const { stdout } = await dateline('user', 'sign-out', 'boss@example.org')
  assert.equal(stdout, 'boss@example.org is signed out everywhere: 2 sessions ended\n')
  assert.deepEqual([await status(first), await status(second), await status(await tokenOf())], [401, 401, 200])
})

it('accounts are listed without guests unless they are asked for, and found by text and role', async (t) => {
  const { dateline, guest } = await site(t)
  const { id } = await guest()
  assert.equal((await dateline('admin', '--email', 'deputy@example.net')).code, 0)
  assert.equal((await dateline('user', 'set-role', 'deputy@example.net', '--dashboard', 'publisher')).code, 0)
  const emails = async (...words: string[]): Promise<unknown[]> => {
    const { stdout, stderr } = await dateline('user', 'list', '--json', ...words)
    assert.equal(stderr, '')
    return stdout.split('\n').flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { email: string }).email]))
  }
  const stranger = `${id}@anonymous.invalid`
  assert.deepEqual(await emails(), ['deputy@example.net', 'boss@example.org'])
  assert.deepEqual(await emails('--guests'), ['deputy@example.net', stranger, 'boss@example.org'])
  assert.deepEqual(await emails('--search', 'EXAMPLE.net'), ['deputy@example.net'])
  assert.deepEqual(await emails('--role', 'admin'), ['boss@example.org'])
  assert.deepEqual(await emails('--role', 'guestUser'), [stranger])
  const first = await dateline('user', 'list', '--limit', '1')
  assert.match(first.stdout, /^E-MAIL +ID +APP +DASHBOARD +SINCE\ndeputy@example\.net .* publisher .*\n$/)
  assert.match(first.stderr, /^There are more/)
})

it('a publisher or an administrator gets a name, which is a name and goes again', async (t) => {
  const { dateline, guest } = await site(t)
  const boss = 'boss@example.org'
  const nameOf = async (): Promise<unknown> =>
    (JSON.parse((await dateline('user', 'show', boss, '--json')).stdout) as { user: { displayName?: string } }).user.displayName
  assert.equal((await dateline('user', 'set-name', boss, 'Ana Lima')).stdout, `${boss} is called Ana Lima\n`)
  assert.equal(await nameOf(), 'Ana Lima')
  // Attack: a name that writes over the terminal of the next operator.
  const hostile = await dateline('user', 'set-name', boss, 'Ana\u001b[2J')
  assert.deepEqual([hostile.code, await nameOf()], [1, 'Ana Lima'])
  assert.match(hostile.stderr, /displayName: expected a name in one line/)
  const stranger = await dateline('user', 'set-name', (await guest()).id, 'A reader')
  assert.match(stranger.stderr, /only publishers and administrators have a name/)
  assert.equal((await dateline('user', 'set-name', boss)).stdout, `${boss} has no name\n`)
  assert.equal(await nameOf(), undefined)
})

it('a client that calls itself something with control characters cannot reach the terminal', async (t) => {
  const { dateline, guest } = await site(t)
  const shown = await dateline('user', 'show', (await guest()).id)
  assert.match(shown.stdout, /Reader\/1\.0 .*\(phone\)$/m)
  assert.doesNotMatch(shown.stdout.replaceAll('\n', ''), /\p{Cc}/u)
})

it('an account is deleted only when that is said, and its tokens end with it', async (t) => {
  const { dateline, guest, status } = await site(t)
  const { id, token } = await guest()
  const asked = await dateline('user', 'delete', id)
  assert.deepEqual([asked.code, await status(token)], [2, 200])
  assert.match(asked.stderr, /for good: say so with --yes\n$/)
  const deleted = await dateline('user', 'delete', id, '--yes')
  assert.deepEqual([deleted.code, await status(token)], [0, 401])
  assert.equal((await dateline('user', 'show', id)).code, 1)
})

describe('refused with a sentence:', () => {
  for (const [words, code, says] of [
    [['user', 'delete', BOSS, '--yes'], 1, /it is the last administrator; make another one first/],
    [['user', 'set-role', BOSS, '--dashboard', 'none'], 1, /^Cannot change the role of you@example\.org: it is the last administrator/],
    [['user', 'set-role', BOSS], 2, /needs --dashboard ROLE or --app ROLE/],
    [['user', 'set-role', BOSS, '--dashboard', 'amdin'], 2, /did you mean "admin"/],
    [['user', 'set-role', BOSS, '--app', 'guestUser'], 2, /expected one of standardUser, premiumUser/],
    [['user', 'show', 'unknown@example.org'], 1, /no user "unknown@example\.org": see "dateline user list"/],
    [['user', 'sign-out', BOSS, '--session', 'x'], 1, /has none of that id/],
    [['token', '--email', BOSS, '--ttl', '5'], 2, /--ttl: expected a time from 1m to 3660d/],
  ] as const) {
    it(`dateline ${words.join(' ')}`, async (t) => {
      const refused = await runCheaply([...words, '--data-dir', await siteWithBoss(t)])
      assert.deepEqual([refused.code, refused.stdout], [code, ''], refused.stderr)
      assert.match(refused.stderr, says)
      assert.equal(refused.stderr.split('\n').length, 2)
    })
  }
})
