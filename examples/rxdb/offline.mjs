/**
 * An app that keeps headlines and its settings with RxDB, and goes on without a network:
 *
 *   npm install rxdb@16.21.1 rxdb-server@15.22.0 rxjs@7.8.2
 *   node offline.mjs https://news.example.org TOKEN
 *
 * It prints how many headlines it has, then each change. Its copy is in memory here: a browser takes another storage, such
 * as getRxStorageDexie(), and finds its documents again.
 */
import { createRxDatabase } from 'rxdb/plugins/core'
import { getRxStorageMemory } from 'rxdb/plugins/storage-memory'
import { replicateServer } from 'rxdb-server/plugins/replication-server'

const [url = 'http://127.0.0.1:8080', token = ''] = process.argv.slice(2)

const text = { type: 'string' }
const copy = { type: 'object', additionalProperties: true }
const schema = {
  version: 0,
  primaryKey: 'id',
  type: 'object',
  properties: {
    id: { type: 'string', maxLength: 64 },
    ...{ title: text, excerpt: text, url: text, imageUrl: text, status: text, type: text, createdAt: text, updatedAt: text },
    ...{ source: copy, eventCountry: copy, topic: copy },
  },
  required: ['id', 'title'],
}

const database = await createRxDatabase({ name: 'news', storage: getRxStorageMemory(), multiInstance: false })
const { headlines } = await database.addCollections({ headlines: { schema } })
const replication = await replicateServer({
  collection: headlines,
  replicationIdentifier: 'headlines',
  url: `${url}/api/v1/sync/headline/0`,
  headers: { Authorization: `Bearer ${token}` },
  pull: { batchSize: 200 },
})
replication.error$.subscribe((error) => console.error(`offline: ${error.message}`))
replication.unauthorized$.subscribe(() => console.error('offline: sign in again'))
replication.outdatedClient$.subscribe(() => console.error('offline: update the app'))

await replication.awaitInitialReplication()
console.log(`${await headlines.count().exec()} headlines`)
headlines.$.subscribe(({ operation, documentData }) => console.log(`${operation}: ${documentData.title}`))
