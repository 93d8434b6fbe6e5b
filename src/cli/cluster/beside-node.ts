/**
 * Commands on the data directory of a node write through the log of its cluster, as a node does. Where the node runs, its
 * database is its own: the command then works on a copy of it for a moment, as one node more that no other one counts, and
 * the node gets what it wrote through the log.
 */
import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeCommandDirectory } from '../../app/cluster/command-copies.ts'
import { openServices, type Services } from '../../app/services.ts'
import { systemClock } from '../../base/clock.ts'
import { createLog } from '../../base/log.ts'
import { systemRandom } from '../../base/random.ts'
import { VERSION } from '../../base/version.ts'
import { clusterKeysOf } from '../../cluster/cluster-keys.ts'
import { openClusterNode } from '../../cluster/cluster-node.ts'
import { readEtcdTarget } from '../../cluster/etcd-target.ts'
import { newNode, type NodeIdentity } from '../../cluster/node-identity.ts'
import { readSecrets } from '../../config/secrets.ts'
import type { Config } from '../../config/settings.ts'
import { STORED_MODELS } from '../../models/registry.ts'
import { copyDatabase } from '../../store/backup/database-copy.ts'
import { SCHEMA, schemaOfFile } from '../../store/schema/migrate.ts'
import { DataDirError, ownDataDir, prepareDataDir, type DataDir } from '../../store/db/data-dir.ts'
import type { Terminal } from '../command.ts'
import { progressOn } from '../progress.ts'
import { secretsOf } from './member.ts'

/** Opens the services of a node, up to date with its cluster. Rejects with DataDirError where etcd is not named. */
export async function openNodeServices(config: Config, identity: NodeIdentity, terminal: Terminal): Promise<Services> {
  const target = readEtcdTarget(config)
  const dir = prepareDataDir(config.dataDir)
  if (target === undefined) {
    throw new DataDirError(
      `Cannot work on the data directory "${dir.path}" alone: it is that of a node: name its cluster with --cluster or DATELINE_CLUSTER`,
    )
  }
  const log = createLog({ level: 'warn', format: 'pretty', now: systemClock, write: (text) => void terminal.stderr.write(text) })
  await using opening = new AsyncDisposableStack()
  const isFree = isUnused(dir)
  if (!isFree) requireSameSchema(dir)
  const directory = isFree ? dir.path : await copyOf(dir, terminal, opening)
  const node = await openClusterNode({
    ...{ target, directory: dir.path, keys: clusterKeysOf(secretsOf(config, terminal)), now: systemClock, log },
    identity: isFree ? identity : { node: newNode(), site: identity.site },
    random: systemRandom,
  })
  opening.defer(() => node.close())
  const cluster = { log: node.log, sealer: node.sealer, node: node.node, site: node.site }
  const services = await openServices(
    { ...config, dataDir: directory },
    readSecrets(terminal.environment),
    { now: systemClock, log, own: true, cluster },
  )
  const { store } = services
  opening.defer(() => store.close())
  await store.replication?.newest()
  const opened = opening.move()
  return { ...services, store: { ...store, close: () => opened.disposeAsync() } }
}

/** Throws DataDirError for a node that runs an older program: what this one writes would take it out of service. */
function requireSameSchema({ path, database }: DataDir): void {
  const schema = schemaOfFile(database, VERSION)
  if (schema === SCHEMA) return
  throw new DataDirError(
    `Cannot work beside the node on "${path}": its data has schema ${schema}, and this program would raise it to ${SCHEMA}: ` +
      'replace the program of the node first',
  )
}

function isUnused(dir: DataDir): boolean {
  try {
    ownDataDir(dir, { pid: process.pid, startedAt: 'just now' }).release()
    return true
  } catch (error) {
    if (error instanceof DataDirError) return false
    throw error
  }
}

/** A directory inside that of the node, private as that is, with a copy of its database. */
async function copyOf(dir: DataDir, terminal: Terminal, opening: AsyncDisposableStack): Promise<string> {
  const directory = makeCommandDirectory(dir.path)
  opening.defer(() => rmSync(directory, { recursive: true, force: true }))
  const progress = progressOn(terminal, 'Copying the data of the node')
  await copyDatabase({
    ...{ from: dir.database, to: join(directory, 'dateline.db'), models: STORED_MODELS, now: systemClock },
    action: `Cannot copy "${dir.database}"`,
    ifDamaged: 'run dateline check',
    onProgress: progress.show,
  }).finally(progress.end)
  if (existsSync(dir.secrets)) copyFileSync(dir.secrets, join(directory, 'secrets'))
  return directory
}
