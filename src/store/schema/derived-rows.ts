/** Derives again what triggers keep, from the documents of a file whose derived rows nothing vouches for. */
import type { Model } from '../../models/schema.ts'
import { user } from '../../models/user.ts'
import type { Database } from '../db/database.ts'
import { hourAt, tableOf, valueAt } from './names.ts'
import { insertPictureUses, pictureTriggers } from './picture-uses.ts'
import { isGuestRow, listedCopies, selectCopies, sizeOf } from './triggers.ts'

/** Reads every document of the models once or twice. To be called in a transaction. */
export function recount(database: Database, models: readonly Model[]): void {
  database.exec(`DELETE FROM status_count; DELETE FROM key_count; DELETE FROM hour_count; DELETE FROM listed_copy;
    DELETE FROM guest_size; DELETE FROM guest_total; DELETE FROM picture_use`)
  for (const model of models) {
    database.run(
      `INSERT INTO model_version (model, version, documents) SELECT ?, 1, count(*) FROM ${tableOf(model)} WHERE true
        ON CONFLICT (model) DO UPDATE SET version = version + 1, documents = excluded.documents`,
      model.name,
    )
    if (model.counted !== undefined) recountStatuses(database, model)
    if (model.timeline !== undefined) recountHours(database, model, model.timeline)
    if (pictureTriggers(model).length > 0) database.exec(insertPictureUses(model))
    if (listedCopies(model).length > 0) indexListedCopies(database, model)
  }
  // Triggers add up the sum.
  if (models.includes(user)) {
    database.exec(`INSERT INTO guest_size SELECT id, ${sizeOf('user')} FROM user WHERE ${isGuestRow('user')}`)
  }
}

function recountStatuses(database: Database, model: Model): void {
  const [table, status] = [tableOf(model), valueAt('status')]
  database.run(`INSERT INTO status_count SELECT ?, ${status}, count(*) FROM ${table} GROUP BY 2`, model.name)
  for (const path of model.tallied ?? []) {
    database.run(
      `INSERT INTO key_count SELECT ?, ?, ${valueAt(path)}, count(*) FROM ${table} WHERE ${status} = 'active' GROUP BY 3`,
      model.name,
      path,
    )
  }
}

/** In one pass over the table. */
function recountHours(database: Database, model: Model, path: string): void {
  const hour = hourAt(path)
  database.run(
    `INSERT INTO hour_count SELECT ?, ${hour}, count(*) FROM ${tableOf(model)} WHERE ${hour} IS NOT NULL GROUP BY 2`,
    model.name,
  )
}

function indexListedCopies(database: Database, model: Model): void {
  const copies = selectCopies(model, { doc: 'one.doc', seq: 'one.seq', from: `${tableOf(model)} AS one, ` })
  database.run(`INSERT OR IGNORE INTO listed_copy ${copies}`)
}
