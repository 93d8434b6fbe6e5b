/**
 * A program that takes the words of `dateline serve` and serves them with a cluster:
 * `serve-cluster.ts ETCD MODE serve …`. It makes a site below a prefix of its own in the etcd servers, with two more
 * nodes, and prints the ready line of the first one; with the mode `spread`, the URL in it is that of a proxy that
 * spreads requests over all three. One more data directory is a node for the tests: see member-services.ts. All get what
 * the first one has before its start, as joining takes two processes each. SIGTERM ends the nodes.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { adoptDraft, newNode, readIdentity, writeDraft } from '../../src/cluster/node-identity.ts'
import { finish } from '../tools/program.ts'
import { memberOf } from '../tools/cluster/member-place.ts'
import { openSpreadingProxy } from './spreading-proxy.ts'
import { WITH_PARENT } from '../tools/with-parent.ts'

const MAIN = join(import.meta.dirname, '../../src/main.ts')
const FLAG_DATA_DIR = '--data-dir='
/** What the first data are made with. */
const OF_INIT = /^--flag-base-url=/
/** What only one node may be given. */
const OF_FIRST = /^--(?:data-dir|port|admin-email)=/

const [etcd = '', mode = '', command = '', ...words] = process.argv.slice(2)
const dataDir = words.find((word) => word.startsWith(FLAG_DATA_DIR))?.slice(FLAG_DATA_DIR.length) ?? ''
// Other commands work on a directory as they are, and tests that name none look at what is wrong with the rest.
if (command !== 'serve' || dataDir === '') process.exit(spawnSync(process.execPath, [MAIN, command, ...words], { stdio: 'inherit' }).status ?? 1)
const member = memberOf(dataDir)
const clusterWords = [`--cluster=${etcd}`, `--cluster-prefix=${member.prefix}`]
const children: ChildProcess[] = []
const dataDirs = [dataDir, `${dataDir}-second`, `${dataDir}-third`]
const isNew = !existsSync(join(dataDir, 'cluster.json'))

process.once('SIGTERM', () => void endAll())
const lines: string[] = []
if (isNew) {
  await run(['cluster', 'init', FLAG_DATA_DIR + dataDir, ...clusterWords, ...words.filter((word) => OF_INIT.test(word))])
  for (const directory of [...dataDirs.slice(1), member.dataDir]) makeNode(directory)
}
for (const [i, directory] of dataDirs.entries()) {
  const own = [`${FLAG_DATA_DIR}${directory}`, '--port=0']
  lines.push(await start(i === 0 ? words : [...words.filter((word) => !OF_FIRST.test(word)), ...own]))
}
console.log(mode === 'spread' ? await spread() : lines[0])

/** A node with the site and the keys of the first one, at the beginning of the log. */
function makeNode(directory: string): void {
  const site = readIdentity(dataDir)?.site ?? ''
  cpSync(dataDir, directory, { recursive: true })
  writeDraft(directory, 'join', { node: newNode(), site })
  adoptDraft(directory, 'join')
}

async function run(given: readonly string[]): Promise<string> {
  const { code, stdout } = await finish(spawn(process.execPath, [MAIN, ...given], { stdio: ['ignore', 'pipe', 'inherit'] }))
  // What is wrong with the settings is said as by `serve`.
  if (code !== 0) process.exit(code ?? 1)
  return stdout
}

/** Gives the ready line of a node. */
async function start(given: readonly string[]): Promise<string> {
  const [program = '', ...before] = [...WITH_PARENT, process.execPath]
  const serve = [...before, MAIN, 'serve', ...given, ...clusterWords]
  const child = spawn(program, serve, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  child.once('exit', (code) => void process.exit(code ?? 1))
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return line
}

async function spread(): Promise<string> {
  const ready = lines.map((line) => JSON.parse(line) as { url: string })
  const url = await openSpreadingProxy(ready.map((one) => Number(new URL(one.url).port)))
  return JSON.stringify({ ...ready[0], url })
}

async function endAll(): Promise<void> {
  for (const child of children) child.removeAllListeners('exit')
  const codes = await Promise.all(
    children.map(async (child) => {
      const closed = once(child, 'exit') as Promise<[number | null]>
      child.kill('SIGTERM')
      return (await closed)[0] ?? 1
    }),
  )
  process.exit(Math.max(...codes))
}
