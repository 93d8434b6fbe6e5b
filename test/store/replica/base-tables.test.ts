/** Every table is either replicated or kept by each node, and what is replicated can be. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { STORED_MODELS } from '../../../src/models/registry.ts'
import { baseTables } from '../../../src/store/cluster/replicated-tables.ts'
import { emptySite, inspect } from '../../support/cluster/cluster-stores.ts'

/** Derived by triggers and the search code, or this node's own. */
const OWN = ['status_count', 'key_count', 'hour_count', 'model_version', 'listed_copy', 'guest_size', 'guest_total', 'picture_use', 'log_position', 'pending_change', 'change_chain', 'unsynced_since']

it('every table of a new database is replicated, or derived, or of this node alone', async (t) => {
  const tables = inspect(await emptySite(t), (database) =>
    database
      .all("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%\\_search%' ESCAPE '\\' AND name NOT LIKE 'sqlite_%'")
      .map(({ name }) => String(name)),
  )
  assert.deepEqual(tables.sort(), [...baseTables(STORED_MODELS), ...OWN].sort())
})

it('every replicated table has a primary key, and stands before the table that its rows refer to', async (t) => {
  const order = baseTables(STORED_MODELS)
  inspect(await emptySite(t), (database) => {
    for (const table of order) {
      const keys = database.all('SELECT name FROM pragma_table_info(?) WHERE pk > 0', table)
      assert.ok(keys.length > 0, `${table} has no primary key`)
      for (const { parent } of database.all('SELECT "table" AS parent FROM pragma_foreign_key_list(?)', table)) {
        assert.ok(order.indexOf(table) < order.indexOf(String(parent)), `${table} stands before ${String(parent)}`)
      }
    }
  })
})
