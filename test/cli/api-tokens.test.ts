/** `token create`, `token list` and `token revoke`. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { runCheaply } from '../support/service/in-process.ts'
import { siteWithBoss } from '../support/service/made-site.ts'

it('a token of the API is made, listed and revoked on the command line, and recorded', async (t) => {
  const data = await siteWithBoss(t)
  const run = (...words: readonly string[]) => runCheaply([...words, '--data-dir', data])
  const flags = ['--email', 'you@example.org', '--name', 'import', '--role', 'publisher', '--models', 'topic, headline']
  const made = await run('token', 'create', ...flags, '--methods', 'create', '--days', '7', '--json')
  assert.deepEqual([made.code, made.stderr], [0, ''])
  const { token, ...shown } = JSON.parse(made.stdout) as Record<string, unknown>
  assert.match(String(token), /^dl_[\w-]{43}$/)
  assert.deepEqual([shown['role'], shown['models'], shown['methods']], ['publisher', ['headline', 'topic'], ['create']])
  const listed = await run('token', 'list', '--json')
  assert.deepEqual(JSON.parse(listed.stdout), shown)
  assert.match((await run('token', 'list')).stdout, /^ID +NAME +ROLE OR SCOPES .*\n\S+ +import +publisher +headline topic +create .*never\n$/)
  const id = String(shown['id'])
  assert.equal((await run('token', 'revoke', id)).stdout, `Revoked ${id}\n`)
  const again = await run('token', 'revoke', id)
  assert.deepEqual([again.code, again.stderr], [1, `There is no token "${id}": see "dateline token list"\n`])
  assert.equal((await run('token', 'list', '--json')).stdout, '')
  const scraper = await run('token', 'create', '--email', 'you@example.org', '--name', 'Prometheus', '--scopes', 'metrics')
  assert.equal(scraper.code, 0, scraper.stderr)
  assert.match((await run('token', 'list')).stdout, /^ID +NAME +ROLE OR SCOPES .*\n\S+ +Prometheus +metrics +none +none .*never\n$/)
  const trail = await run('audit', '--json')
  const events = [...trail.stdout.matchAll(/"event":"(token\.\w+)"/g)].map(([, event]) => event)
  assert.deepEqual(events, ['token.made', 'token.revoked', 'token.made'])
})

it('user code prints a code for a person, and none for a stranger', async (t) => {
  const data = await siteWithBoss(t)
  const run = (...words: readonly string[]) => runCheaply([...words, '--data-dir', data])
  assert.match((await run('user', 'code', 'you@example.org')).stdout, /^Sign-in code for you@example\.org: \d{6} \(works once, for 15 minutes\)\n$/)
  const { email, code } = JSON.parse((await run('user', 'code', 'you@example.org', '--json')).stdout) as Record<string, string>
  assert.deepEqual([email, /^\d{6}$/.test(code ?? '')], ['you@example.org', true])
  const missing = await run('user', 'code', 'other@example.org')
  assert.deepEqual([missing.code, missing.stdout], [1, ''])
})

it('token create names what it needs, and token stays what it was', async () => {
  for (const [words, message] of [
    [['--name', 'a'], /^dateline token create needs --email ADDRESS/],
    [['--email', 'you@example.org'], /^Cannot use --name: expected a text of 1 to 100 characters/],
    [['--email', 'you@example.org', '--name', 'a', '--models', 'users'], /^Cannot use --models: expected one of headline/],
    [['--email', 'you@example.org', '--name', 'a', '--days', 'x'], /^Cannot use --days: expected a whole number from 1 to 3650/],
  ] as const) {
    const { code, stderr } = await runCheaply(['token', 'create', ...words])
    assert.equal(code, 2)
    assert.match(stderr, message)
  }
  const { stdout } = await runCheaply(['help', 'token'])
  assert.match(stdout, /^dateline token: print an access token[^]*--ttl TIME[^]*^dateline token:\n\n {2}token create /m)
  assert.match((await runCheaply(['token'])).stderr, /^dateline token needs --email ADDRESS/)
})
