/** Services of one cluster in this process, over one real etcd server. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startService, type TestService, type TestSettings } from '../service/service.ts'
import { temporaryDirectory, type Cleanup } from '../../../scripts/tools/temporary-directory.ts'
import { runHere } from '../service/in-process.ts'
import { startEtcd } from '../../../scripts/tools/cluster/etcd-server.ts'

const LOOK_MS = 10

export async function startCluster(t: Cleanup) {
  const etcd = await startEtcd(t)
  // The clock of the commands is the real one, and the nodes' stands still: they have to be near each other.
  const start = Date.now()
  const cluster = etcd.endpoints.join(',')
  const commandReading = async (input: string, directory: string, words: readonly string[]): Promise<string> => {
    const place = ['--cluster', cluster, '--data-dir', join(directory, 'data')]
    const { code, stdout, stderr } = await runHere([...words, ...place], { input })
    assert.equal(code, 0, stderr)
    return stdout.trim()
  }
  const command = (directory: string, ...words: readonly string[]): Promise<string> => commandReading('', directory, words)
  /** By directory: one that was stopped and started again is the same node. */
  const nodes = new Map<string, TestService>()
  const mails = async (email: string): Promise<readonly string[]> => (await Promise.all([...nodes.values()].map((node) => node.mails(email)))).flat()
  const serve = async (directory: string, settings: TestSettings = {}): Promise<TestService> => {
    const node = await startService(t, { cluster, ...settings }, { directory, start })
    nodes.set(directory, node)
    return Object.assign(node, { codeFor: codeAt(node, mails) })
  }
  return {
    ...{ etcd, cluster, command, serve, start },
    /** The texts of all messages to an address, whichever node has sent them. */
    mails,
    async first(settings?: TestSettings): Promise<TestService> {
      const directory = temporaryDirectory(t)
      await command(directory, 'cluster', 'init')
      return serve(directory, settings)
    },
    async join(member: TestService, settings?: TestSettings): Promise<TestService> {
      const directory = temporaryDirectory(t)
      const token = await command(member.directory, 'cluster', 'token')
      await commandReading(`${token}\n`, directory, ['cluster', 'join', '--from', member.url, '--token', '-'])
      return serve(directory, settings)
    },
  }
}

/** What codeFor() of a node does: the keeper sends the mail, and on a slow machine another node may become it at any time. */
function codeAt({ call }: TestService, mails: (email: string) => Promise<readonly string[]>): TestService['codeFor'] {
  return async (email, { dashboard = false } = {}) => {
    const before = new Set(await mails(email))
    const asked = await call('POST', '/api/v1/auth/request-code', { body: { email, isDashboardLogin: dashboard } })
    assert.equal(asked.status, 202, asked.text)
    let mail: string | undefined
    await until(async () => (mail = (await mails(email)).find((text) => !before.has(text))) !== undefined)
    return /\b\d{6}\b/.exec(mail ?? '')?.[0] ?? ''
  }
}

/** Resolves when it is so; the test's own time limit ends it otherwise. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await wait(LOOK_MS)
}
