import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { runCheaply, serveCheaply } from '../support/service/in-process.ts'
import { get, guestToken, verifyCode } from '../support/service/program-calls.ts'
import { run } from '../../scripts/tools/program.ts'
import { startedSite } from '../support/service/made-site.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

const signIn = (url: string, email: string, code: string): Promise<Response> =>
  verifyCode(url, { email, code, isDashboardLogin: true })

it('admin makes an administrator and a code that signs in, while the service runs', async (t) => {
  const data = await startedSite(t)
  const service = await serveCheaply(t, ['--data-dir', data])
  // A stranger behind the same address has used up its wrong codes: the operator's code works all the same.
  const guesses = Array.from({ length: 61 }, (_, i) => signIn(service.url, `reader-${i}@example.org`, '123456'))
  const statuses = (await Promise.all(guesses)).map(({ status }) => status).sort()
  assert.deepEqual(statuses, [...Array<number>(60).fill(400), 429])
  const created = await runCheaply(['admin', '--email', ' Boss@Example.org ', '--code', '--data-dir', data])
  assert.equal(created.code, 0, created.stderr)
  assert.match(created.stdout, /^boss@example\.org is a new administrator\n/)
  const code = /Sign-in code: (\d{6}) /.exec(created.stdout)?.[1] ?? ''
  assert.equal((await signIn(service.url, 'boss@example.org', code)).status, 200)
  const again = await runCheaply(['admin', '--email', 'boss@example.org', '--data-dir', data])
  assert.equal(again.stdout, 'boss@example.org is an administrator already\n')
  assert.doesNotMatch(service.output().stderr, new RegExp(code))
})

it('admin and token refuse to make what the service would not take, for want of its secret', async (t) => {
  const data = await startedSite(t)
  const environment = { DATELINE_JWT_SECRET: 'Vq3tN8xLr0bYc5KfWm2ZsHd7TgJp4uEa' }
  const service = await serveCheaply(t, ['--data-dir', data], { environment })
  for (const words of [['admin', '--code'], ['token']]) {
    const refused = await runCheaply([...words, '--email', 'boss@example.org', '--data-dir', data])
    assert.deepEqual([refused.code, refused.stdout], [1, ''])
    assert.match(refused.stderr, /it started with another secret.*DATELINE_JWT_SECRET/)
  }
  const words = ['admin', '--email', 'boss@example.org', '--code', '--json', '--data-dir', data]
  const made = await runCheaply(words, { environment })
  const { code } = JSON.parse(made.stdout) as { readonly code: string }
  assert.equal((await signIn(service.url, 'boss@example.org', code)).status, 200)
})

it('admin and seed print one JSON object with --json, before the service ever ran', async (t) => {
  const data = join(temporaryDirectory(t), 'data')
  const admin = await runCheaply(['admin', '--yes', '--email', 'a@example.org', '--code', '--json', '--data-dir', data])
  const { code, ...rest } = JSON.parse(admin.stdout) as Record<string, unknown>
  assert.deepEqual([rest, /^\d{6}$/.test(String(code))], [{ email: 'a@example.org', done: 'created' }, true])
  const seeded = JSON.parse((await runCheaply(['seed', '--json', '--data-dir', data])).stdout) as Record<string, number>
  assert.deepEqual(seeded, { topics: 32, sources: 46, headlines: 408 })
  const missing = await runCheaply(['admin', '--data-dir', data])
  assert.deepEqual([missing.code, missing.stderr], [2, 'dateline admin needs --email ADDRESS\n'])
  const bad = await runCheaply(['admin', '--email', 'unknown', '--data-dir', data])
  assert.equal(bad.code, 2)
  assert.match(bad.stderr, /expected an e-mail address/)
})

it('seed loads the sample content beside a running service, and a second time changes nothing', async (t) => {
  const data = await startedSite(t)
  const service = await serveCheaply(t, ['--data-dir', data])
  const seeded = await runCheaply(['seed', '--data-dir', data])
  assert.match(seeded.stdout, /^Added \d\d topics, \d\d sources and \d{3} headlines\n$/)
  assert.equal((await runCheaply(['seed', '--data-dir', data])).stdout, 'Added 0 topics, 0 sources and 0 headlines\n')
  const feed = await get(service.url, '/api/v1/data?model=headline', await guestToken(service.url))
  assert.ok(((await feed.json()) as { data: { items: unknown[] } }).data.items.length > 0)
})

const LINES = [
  '{"id":"a","n":2,"createdAt":"2025-10-01T00:00:00.000Z","name":"Zoë"}',
  '{"id":"c","n":9007199254740993}',
  '',
  '  {"id":"b","n":2, "tags":["x","y"]}  ',
  '{"_id":"d","n":null}',
].join('\n')

const [A = '', , , B = ''] = LINES.split('\n').map((line) => line.trim())

const MATCHES: ReadonlyArray<readonly [string, readonly string[], readonly string[]]> = [
  ['keeps the order of the lines and their text', ['--filter', '{"n":2}'], [A, B]],
  ['sorts, ties by id', ['--sort', 'n:desc'], ['c', 'a', 'b', 'd']],
  ['limits after sorting', ['--sort', 'n:asc', '--limit', '2'], ['d', 'a']],
  ['takes a limit of nothing', ['--limit', '0'], []],
  ['rounds no number', ['--filter', '{"n":{"$gt":9007199254740992}}'], ['c']],
  ['searches as for a model', ['--model', 'country', '--filter', '{"q":"ZOË"}'], ['a']],
]
for (const [name, words, expected] of MATCHES) {
  it(`match ${name}`, async () => {
    const { code, stdout, stderr } = await runCheaply(['match', ...words], { input: LINES })
    assert.equal(code, 0, stderr)
    const lines = stdout.split('\n').slice(0, -1)
    const idOf = (line: string): unknown => Object.values(JSON.parse(line) as object)[0]
    assert.deepEqual(expected.includes(A) ? lines : lines.map(idOf), expected)
  })
}

it('match compares objects by the order of their members, where names that are whole numbers come first', async () => {
  for (const [filter, matches] of [
    ['{"v":{"b":1,"a":1}}', true],
    ['{"v":{"a":1,"b":1}}', false],
    ['{"w":{"b":1,"7":1,"10":1}}', true],
    ['{"w":{"7":1,"10":1,"b":1}}', true],
    ['{"w":{"7":1,"b":1}}', false],
  ] as const) {
    const line = '{"v":{"b":1,"a":1},"w":{"b":1,"10":1,"7":1}}\n'
    const { code, stdout, stderr } = await runCheaply(['match', '--filter', filter], { input: line })
    assert.deepEqual([code, stdout, stderr], [0, matches ? line : '', ''], filter)
  }
})

for (const [name, words, message] of [
  ['an unknown operator', ['--filter', '{"a":{"$near":1}}'], /\$near/],
  ['a filter that is no JSON', ['--filter', '{a'], /Cannot read filter/],
  ['a bad limit', ['--limit', '-1'], /Cannot read limit "-1"/],
  ['an unknown model', ['--model', 'ad'], /expected one of headline/],
] as const) {
  it(`match refuses ${name} with status 2 and the service's words`, async () => {
    const { code, stdout, stderr } = await runCheaply(['match', ...words], { input: LINES })
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, message)
  })
}

it('match names the line that is no JSON object, with status 1', async () => {
  for (const line of ['{"a":', '[1]']) {
    const { code, stderr } = await runCheaply(['match'], { input: `{"a":1}\n${line}\n` })
    assert.equal(code, 1)
    assert.match(stderr, /^Cannot read line 2: /)
  }
})

it('repair references ends with its result: the process stays alive while the work pauses', async (t) => {
  const { code, stdout, stderr } = await run(['repair', 'references', '--data-dir', await startedSite(t)])
  assert.deepEqual([code, stdout, stderr], [0, 'Brought 0 documents up to date\n', ''])
})

it('a command whose output is not read exits without a message', { skip: process.platform === 'win32' }, async () => {
  for (const [words, input] of [[['openapi'], ''], [['match', '--filter', '{}'], '{"a":1}\n'.repeat(20_000)]] as const) {
    const { code, stderr } = await run(words, { input, unread: true })
    assert.deepEqual([code, stderr], [1, ''])
  }
})
