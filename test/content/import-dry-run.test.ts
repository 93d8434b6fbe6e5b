import assert from 'node:assert/strict'
import { it } from 'node:test'
import { knownRows, type FileAddresses } from '../../src/content/transfer/import-dry-run.ts'
import { source } from '../../src/models/source.ts'
import type { BulkRow } from '../../src/store/writes/bulk-tables.ts'

const url = 'https://news.example/front'
const row = (id: string): BulkRow => ({ id, doc: JSON.stringify({ id, name: id, url }), search: undefined, basis: undefined })
const documents = { lookUp: () => [] }

it('a row of a check that runs again, as on a cluster, is no duplicate of itself', () => {
  const addresses: FileAddresses = new Map()
  const known = (id: string, line: number) => knownRows({ documents, model: source, addresses }, row(id), line)
  assert.deepEqual(known('first', 7), [])
  // A new row gets another id each time.
  assert.deepEqual(known('again', 7), [])
  assert.deepEqual(known('other', 9), [{ line: 9, id: null, title: 'first', earlierLine: 7 }])
})
