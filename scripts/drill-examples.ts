/**
 * `npm run drill -- cluster-examples`: the examples of the clustering guide, as their files say, without
 * systemd and Docker: each machine is a network namespace, the names are in its hosts file, and the certificates are those
 * that the guide makes. A cluster is made, joined and written to, loses a machine, and takes writes.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, copyFileSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { DATA_SETTINGS } from '../src/cli/data-settings.ts'
import { SETTINGS } from '../src/config/settings.ts'
import { ETCD_BINARY, noEtcd } from './tools/cluster/etcd-server.ts'
import { finish } from './tools/program.ts'
import { composeExample, systemdExample, type Example, type ExampleProcess } from './cluster/example.ts'
import { isInsideNamespace, makeMachines, noMachines, runInsideNamespace, type Machines } from './cluster/machines.ts'
import { WITH_PARENT } from './tools/with-parent.ts'

const MAIN = join(import.meta.dirname, '../src/main.ts')
const GUIDE = join(import.meta.dirname, '../data/guides/clustering.md')
const MACHINES = 6
const READY_MS_MAX = 180_000
const POLL_MS = 100
const RESPONSE_MS_MAX = 30_000
const ADMIN = 'you@example.org'
const TOPIC = { name: 'Harbours', description: 'Ships.', iconUrl: 'https://example.org/a.png' }
const DATA_FLAGS: readonly string[] = SETTINGS.filter(({ name }) => DATA_SETTINGS.includes(name)).map(({ flag }) => flag)

/** Prints what it does. Throws what should not have happened, and keeps the directory then. */
export async function drillExamples(seed: number): Promise<readonly string[]> {
  const reason = noEtcd || noMachines() || (spawnSync('openssl', ['version']).status === 0 ? false : 'there is no openssl')
  if (reason !== false) return [`skipped: ${reason}`]
  if (!isInsideNamespace) {
    assert.equal(runInsideNamespace(process.argv.slice(1), seed), 0, 'the drill failed inside its network namespace')
    return []
  }
  const machines = makeMachines(MACHINES)
  const directory = mkdtempSync(join(tmpdir(), 'dateline-examples-'))
  const place = (name: string): string => {
    mkdirSync(join(directory, name))
    return join(directory, name)
  }
  const compose = composeExample(place('compose'))
  const examples = { systemd: systemdExample(place('systemd'), machines.places.map(({ host }) => host)), ...(compose && { compose }) }
  const lines: string[] = []
  for (const [name, example] of Object.entries(examples)) {
    lines.push(`${name}: ${await runExample(example, { machines, directory: join(directory, name) })}`)
  }
  rmSync(directory, { recursive: true, force: true })
  return [...lines, ...(compose === undefined ? ['compose: skipped: python3 has no yaml (Debian: apt-get install python3-yaml)'] : [])]
}

interface Room {
  readonly machines: Machines
  readonly directory: string
}

async function runExample(example: Example, room: Room): Promise<string> {
  const running = startMachines(example, room)
  makeCertificates(example, room.directory)
  try {
    for (const one of example.etcd) running.start(ETCD_BINARY, one)
    const [first, ...others] = example.nodes as [ExampleProcess, ...ExampleProcess[]]
    await running.command(first, ['cluster', 'init'])
    await running.serve(first)
    const from = `https://${example.names[first.machine]}:${example.port}`
    for (const node of others) {
      const token = await running.command(first, ['cluster', 'token'])
      await running.command(node, ['cluster', 'join', '--from', from, '--token', '-'], token)
      await running.serve(node)
    }
    await running.command(first, ['admin', '--email', ADMIN])
    const token = (await running.command(first, ['token', '--email', ADMIN])).trim()
    const made = await running.ask(first, token, 'POST', TOPIC)
    assert.equal(made.status, 201, made.text)
    for (const node of others) assert.ok((await running.ask(node, token, 'GET')).text.includes(TOPIC.name), 'another node has the write')
    await running.kill([first, ...example.etcd.slice(0, 1)])
    const begun = performance.now()
    for (let status = 0; status !== 201; ) {
      status = (await running.ask(others[0] ?? first, token, 'POST', TOPIC)).status
      assert.ok(performance.now() - begun < READY_MS_MAX, 'a write without the first machine')
    }
    const ended = await running.stop()
    assert.deepEqual(ended, others.map(() => 0), 'nodes end by SIGTERM')
    return `${example.etcd.length} servers and ${example.nodes.length} nodes: made, joined, written to, and again without the first machine`
  } finally {
    await running.kill([...example.etcd, ...example.nodes])
  }
}

/** With the commands of the guide, for the names of the example. */
function makeCertificates({ names, tls }: Example, directory: string): void {
  const [, commands = ''] = /```console\n(umask 077\nopenssl [^]*?)```/.exec(readFileSync(GUIDE, 'utf8')) ?? []
  assert.match(commands, /for node in n1 n2 n3; do/)
  // In compose all have one certificate.
  const isShared = tls(0) === tls(1)
  const all = names.map((name) => `DNS:${name}`).join()
  const script = commands.replace('for node in n1 n2 n3;', `for node in ${isShared ? 'node' : names.join(' ')};`).replace('DNS:$node', isShared ? all : 'DNS:$node')
  const { status, stderr } = spawnSync('sh', ['-e', '-c', script], { cwd: directory, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  names.forEach((name, machine) => {
    const own = isShared ? 'node' : name
    for (const [file, as] of [['ca.pem', 'ca.pem'], [`${own}.pem`, 'node.pem'], [`${own}-key.pem`, 'node-key.pem']] as const) {
      copyFileSync(join(directory, file), join(tls(machine), as))
    }
  })
}

function startMachines({ names, nodes, port, tls }: Example, { machines, directory }: Room) {
  const running = new Map<ExampleProcess, ChildProcess>()
  const hosts = join(directory, 'hosts')
  const hostOf = (machine: number): string => machines.places[machine]?.host ?? ''
  writeFileSync(hosts, `127.0.0.1 localhost\n${names.map((name, i) => `${hostOf(i)} ${name}\n`).join('')}`)
  const launch = ({ machine, environment }: ExampleProcess, words: readonly string[], output: 'pipe' | number): ChildProcess => {
    const inPlace = ['unshare', '--mount', 'sh', '-c', 'mount --bind "$0" /etc/hosts && exec "$@"', hosts, ...WITH_PARENT]
    const [program = '', ...before] = [...(machines.places[machine]?.prefix ?? []), ...inPlace]
    const env = { PATH: process.env['PATH'], HOME: directory, ...environment }
    return spawn(program, [...before, ...words], { stdio: ['pipe', output, output], env, cwd: directory })
  }
  const dateline = [process.execPath, MAIN]
  const start = (program: string | readonly string[], one: ExampleProcess): void => {
    const log = openSync(join(directory, `${names[one.machine]}.log`), 'a')
    running.set(one, launch(one, [...[program].flat(), ...one.words], log))
    closeSync(log)
  }
  const ask = (node: ExampleProcess, token: string, method: string, body?: object): Promise<{ readonly status: number; readonly text: string }> =>
    send(`/api/v1/data?model=topic`, { method, body, headers: { authorization: `Bearer ${token}`, consistency: 'strong' }, node })
  const send = (path: string, { node, method, body, headers }: Sent) => {
    const { promise, resolve } = Promise.withResolvers<{ readonly status: number; readonly text: string }>()
    const url = { host: hostOf(node.machine), port, path, method, servername: names[node.machine] ?? '', ca: readFileSync(join(tls(node.machine), 'ca.pem')) }
    const outgoing = request({ ...url, agent: false, headers: { ...headers, ...(body && { 'content-type': 'application/json' }) }, timeout: RESPONSE_MS_MAX }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => void (text += part))
      response.on('error', () => {}).on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    outgoing.on('error', ({ message }) => resolve({ status: 0, text: message })).on('timeout', () => outgoing.destroy())
    outgoing.end(body && JSON.stringify(body))
    return promise
  }
  const signal = async (ones: readonly ExampleProcess[], name: NodeJS.Signals): Promise<readonly (number | null)[]> => {
    const children = ones.flatMap((one) => running.get(one) ?? [])
    return Promise.all(
      children.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
        const ended = once(child, 'exit') as Promise<[number | null]>
        child.kill(name)
        return (await ended)[0]
      }),
    )
  }
  return {
    start,
    ask,
    /** Starts a node and waits until it serves. */
    async serve(node: ExampleProcess): Promise<void> {
      start(dateline, node)
      for (const begun = performance.now(); (await send('/readyz', { node, method: 'GET' })).status !== 200; await pause(POLL_MS)) {
        assert.ok(performance.now() - begun < READY_MS_MAX, `${names[node.machine]} is not ready: see ${directory}`)
      }
    },
    /** A command with the settings of a node that commands take. Returns what it prints. */
    async command(node: ExampleProcess, given: readonly string[], input = ''): Promise<string> {
      const words = node.words.flatMap((word, i) => (DATA_FLAGS.includes(word) ? [word, node.words[i + 1] ?? ''] : []))
      const child = launch(node, [...dateline, ...given, ...words], 'pipe')
      child.stdin?.end(input)
      const { code, stdout, stderr } = await finish(child)
      assert.equal(code, 0, `${given.join(' ')}: ${stderr}`)
      return stdout
    },
    kill: (ones: readonly ExampleProcess[]) => signal(ones, 'SIGKILL'),
    /** Ends the nodes that run. Returns their exit codes. */
    stop: () => signal(nodes.filter((one) => running.get(one)?.signalCode === null), 'SIGTERM'),
  }
}

interface Sent {
  readonly node: ExampleProcess
  readonly method: string
  readonly body?: object | undefined
  readonly headers?: Readonly<Record<string, string>>
}
