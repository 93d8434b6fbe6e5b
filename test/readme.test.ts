// gate: starts the program for every command of the README
/** The README as a new operator reads it: every command in it is run. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { it } from 'node:test'
import { codeBlocks, DOCUMENTS, ROOT, shell } from './support/service/documented-commands.ts'
import { temporaryDirectory } from '../scripts/tools/temporary-directory.ts'

const README = DOCUMENTS.get('README.md') ?? ''
const COMMANDS = codeBlocks(README, 'sh')

it('the first command starts the service, the tour walks through it, and a signal to npm alone ends it', async (t) => {
  const data = join(temporaryDirectory(t), 'data')
  const [start = '', ...tour] = COMMANDS
  assert.ok(tour.length >= 6)
  // A group of its own, so that npm and what it started end together.
  const service = spawn('bash', ['-c', `exec ${start}`], {
    cwd: ROOT,
    detached: true,
    env: { ...process.env, DATELINE_DATA_DIR: data, DATELINE_PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(service, 'close')
  t.after(async () => {
    if (service.exitCode === null && service.pid !== undefined) process.kill(-service.pid, 'SIGKILL')
    await closed
  })
  let output = ''
  const { port, pid } = await new Promise<{ port: number; pid: number }>((resolve, reject) => {
    service.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const line = output.split('\n').find((one) => one.startsWith('{"event":"ready"'))
      if (line !== undefined) resolve(JSON.parse(line) as { port: number; pid: number })
    })
    service.stderr.on('data', (chunk: Buffer) => void (output += chunk.toString()))
    void closed.then(() => reject(new Error(output)))
  })
  const marked = tour.map((text, i) => `${text.replaceAll('8080', String(port))}\necho; echo "== ${i}"`).join('\n')
  const { code, stdout, stderr } = await shell(t, marked, { cwd: ROOT, environment: { DATELINE_DATA_DIR: data } })
  assert.equal(code, 0, stderr)
  const [, signIn = '', create = '', list = '', next = '', match = ''] = stdout.split(/^== \d+\n/m)
  assert.match(signIn, /"email":"you@example\.org".*"dashboardRole":"admin"/)
  assert.match(create, /"name":"Harbours".*"status":"active","type":"topic"/)
  assert.match(list, /Added \d+ topics, \d+ sources and \d+ headlines[^]*"hasMore":true/)
  const ids = (text: string): string[] =>
    [...text.matchAll(/"type":"topic"\},"createdAt":"[^"]*","updatedAt":"([^"]*)"/g)].map(([, date = '']) => date)
  assert.equal(ids(list).length, 2)
  assert.equal(ids(next).length, 2)
  assert.ok((ids(next)[0] ?? '') <= (ids(list)[1] ?? ''), 'the next page is older')
  assert.equal(match.trim(), '{"id":"1","tags":["sea","wind"]}')
  service.kill('SIGTERM')
  await closed
  assert.match(output, /"event":"stopped"/)
  assert.throws(() => process.kill(pid, 0), /ESRCH/, 'no orphan keeps the port and the data')
})

it('has at most 200 lines and a contents list', () => {
  assert.ok(README.split('\n').length <= 200)
  const sections = [...README.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title)
  for (const title of sections) assert.ok(README.includes(`- [${title}](#${title.toLowerCase().replaceAll(' ', '-')})`), title)
})
