/** How a store writes: by itself, as a node of a cluster, or not at all. */
import { fail } from '../../base/failure.ts'
import type { Model } from '../../models/schema.ts'
import type { Database } from '../db/database.ts'
import { createWriteQueue, type WriteQueue, type WriteQueueParts } from '../db/write-queue.ts'
import type { ChangeCapture } from '../history/change-capture.ts'
import { migrate, SchemaError, schemaOf, schemaVersion, type MigrationOptions } from '../schema/migrate.ts'
import type { SearchChanges } from '../search/search-changes.ts'
import { Divergence } from './changeset-applier.ts'
import type { FilePosition } from './position-table.ts'
import { createReplicatedQueue, type ClusterLog } from './replicated-queue.ts'
import type { Replication } from './replication.ts'

/** A database that belongs to a cluster. */
interface NodeParts {
  readonly place: FilePosition
  /** Undefined for a command beside the service, which may only read. */
  readonly cluster: ClusterLog | undefined
  readonly migration: MigrationOptions & Required<Pick<MigrationOptions, 'migrations'>>
}

export interface QueueParts extends WriteQueueParts {
  readonly search: SearchChanges
  /** Undefined for a store by itself. */
  readonly node: NodeParts | undefined
  readonly models: readonly Model[]
  readonly capture: ChangeCapture
  /** Called for entries of other nodes that delete an account. */
  readonly onErasure: () => void
  /** Called for entries of other nodes that change stored settings, ahead of their commit. */
  readonly onSettings: () => void
  /** How often something was erased, by entries of this node and of others. */
  readonly erasures: () => number
}

export interface OpenedQueue {
  readonly queue: WriteQueue
  readonly replication?: Replication
}

export function openQueue(database: Database, parts: QueueParts): OpenedQueue {
  const { node } = parts
  if (node === undefined) return { queue: createWriteQueue(database, parts) }
  const { place, cluster, migration } = node
  const present = schemaVersion(database, migration)
  const schemaKnown = schemaOf(migration.migrations)
  if (cluster === undefined) {
    if (present === schemaKnown) return { queue: readOnlyQueue() }
    throw new SchemaError(
      `The database of the node has schema ${present}: start the node with this program, which raises it to ${schemaKnown}`,
    )
  }
  const { models, search, capture, before, after, onErasure, onSettings, erasures } = parts
  database.exec('PRAGMA synchronous = NORMAL')
  return createReplicatedQueue(database, {
    ...{ cluster, models, search, capture, onErasure, onSettings, erasures, schemaKnown },
    start: { ...place, schema: present },
    raiseSchema(schema, finish) {
      if (schema > schemaKnown) throw new Divergence(newerSchema(schema, schemaKnown))
      before()
      capture.stop()
      migrate(database, { ...migration, to: schema, finish })
      if (schema === schemaKnown) capture.start()
    },
    committed() {
      before()
      after()
    },
  })
}

function newerSchema(schema: number, known: number): string {
  return `the data has schema ${schema} now, this program knows ${known}: install the newer one`
}

function readOnlyQueue(): WriteQueue {
  const message = 'Cannot change data that belongs to a cluster: use the dashboard or the API of a node'
  const reject = (): Promise<never> => Promise.reject(fail('conflict', message))
  return { write: reject, writeUnsynced: reject, writeDerived: reject, close: async () => {} }
}
