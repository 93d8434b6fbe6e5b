/**
 * Starting Dateline from a Node program, as its local backend:
 *
 *   node embed.mjs ./dateline ./data
 *
 * The child gets a pipe as its input. When this program ends, in whatever way, the pipe closes and so does Dateline.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'

const [program = 'dateline', directory = './data'] = process.argv.slice(2)
const dataDir = resolve(directory)
const tokenFile = join(dataDir, 'token')
await mkdir(dataDir, { recursive: true, mode: 0o700 })

const words = ['serve', '--port', '0', '--data-dir', dataDir, '--token-file', tokenFile, '--exit-with-parent']
const service = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'] })
const ended = once(service, 'exit')

// One line of JSON, when requests are accepted. No line means that it ended, and stderr has said why.
const lines = createInterface({ input: service.stdout })
const [line] = await Promise.race([once(lines, 'line'), once(lines, 'close')])
if (line === undefined) process.exit(1)
const { url, instance } = JSON.parse(line)
const token = (await readFile(tokenFile, 'utf8')).trim()

/** Calls the API, and makes sure that the answer comes from the service started above. */
async function call(method, path, body) {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  if (response.headers.get('x-dateline-instance') !== instance) throw new Error('another service answers')
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
  return (await response.json()).data
}

const topic = { name: 'Harbours', description: 'Ships and tides.', iconUrl: 'https://example.org/h.png' }
const { id } = await call('POST', '/api/v1/data?model=topic', topic)
const { items } = await call('GET', '/api/v1/data?model=topic')
console.log(`${items.length} topic, ${items[0].name}, ${items[0].id === id ? 'as created' : 'not as created'}`)

service.stdin.end()
const [code] = await ended
console.log(`ended with ${code}`)
