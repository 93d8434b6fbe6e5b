// night: it starts a cluster; test/etcd has its API
/** The dashboard of a node of a cluster: its nodes and etcd servers. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { expectAccessible } from '../support/browser/accessibility.ts'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { startDashboard } from '../support/browser/dashboard.ts'
import { startCluster } from '../support/cluster/cluster-services.ts'
import { noEtcd } from '../../scripts/tools/cluster/etcd-server.ts'
import { ADMIN_EMAIL } from '../support/service/service.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

const skip = noEtcd === false ? browserMissing() : noEtcd
const cleanup = { after: (work: () => void | Promise<void>) => after(work) }

describe('a cluster in the dashboard', { skip }, async () => {
  if (skip !== undefined) return
  const cluster = await startCluster(cleanup)
  const directory = temporaryDirectory(cleanup)
  await cluster.command(directory, 'cluster', 'init')
  // A node makes the administrator of its settings behind its start.
  await cluster.command(directory, 'admin', '--email', ADMIN_EMAIL)
  const { service, cast, openAs } = await startDashboard({ cluster: cluster.cluster }, { directory })
  const other = await cluster.join(service)
  const rowsOf = async (page: Page, name: string): Promise<readonly string[]> => {
    const table = await page.find({ role: 'table', name })
    return page.inspect(table, (found) => [...found.querySelectorAll('tbody tr')].map((row) => (row as HTMLElement).innerText))
  }

  it('shows its nodes, how far each is, the keeper, and the servers of etcd', async () => {
    const page = await openAs(cast.admin, '#/operations')
    await page.click({ role: 'link', name: 'Cluster' })
    // A node tells the others of itself now and then.
    const nodes = await page.waitFor(async () => {
      const found = await rowsOf(page, 'Cluster')
      if (found.length === 2 && found.some((row) => row.includes('keeper'))) return found
      await page.reload()
      return undefined
    }, 'both nodes and the keeper')
    for (const { url } of [service, other]) assert.ok(nodes.some((row) => row.includes(url)), `${url} in ${nodes.join('; ')}`)
    assert.equal(nodes.filter((row) => row.includes('keeper')).length, 1)
    const servers = await rowsOf(page, 'etcd')
    assert.equal(servers.length, 1)
    assert.match(servers[0] ?? '', /leader/)
    await page.reads(/The log is at position \d/)
    await expectAccessible(page)
    await page.expectNoProblems()
  })
})
