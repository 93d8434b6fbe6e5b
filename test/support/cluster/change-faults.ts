/** What the change log of a file says of its documents, against the documents. */
import { entityTag } from '../../../src/http/entity-tag.ts'
import { audit } from '../../../src/models/audit.ts'
import { hasHistory } from '../../../src/models/history.ts'
import type { Model } from '../../../src/models/schema.ts'
import type { Database } from '../../../src/store/db/database.ts'
import { tableOf } from '../../../src/store/schema/names.ts'

/**
 * A sentence for each change that the log lacks or has wrong. The log is whole from the start: each change of a document
 * goes on from the version that the one before it left, and the last one left the version that is stored. Of personal data,
 * it has the last one alone.
 */
export function changeFaults(database: Database, models: readonly Model[]): string[] {
  const faults: string[] = []
  const versions = new Map<string, string | undefined>()
  const personal = new Set(models.filter((model) => !hasHistory(model)).map(({ name }) => name))
  const changes = database.all('SELECT seq, model, id, kind, before, after FROM change ORDER BY seq')
  for (const { seq, model, id, kind, before, after } of changes) {
    // What a deleted account owned is erased.
    if (model === '') continue
    const name = `${String(model)} ${String(id)}`
    const [known, from, to] = [versions.get(name), before ?? undefined, after ?? undefined]
    const isPersonal = personal.has(String(model))
    if (isPersonal && versions.has(name)) faults.push(`${name}: change ${String(seq)} is not the only one`)
    if (!isPersonal && known !== from) faults.push(`${name}: change ${String(seq)} goes on from ${String(from)}, known is ${String(known)}`)
    const wanted = from === undefined ? (isPersonal ? ['created', 'updated'] : ['created', 'restored']) : to === undefined ? ['deleted'] : ['updated', 'restored', 'followed']
    if (!wanted.includes(String(kind))) faults.push(`${name}: change ${String(seq)} is ${String(kind)}`)
    versions.set(name, to === undefined ? undefined : String(to))
  }
  const stored = new Map<string, string>()
  for (const model of models.filter((one) => one !== audit)) {
    for (const { id, doc } of database.all(`SELECT id, doc FROM ${tableOf(model)}`)) {
      stored.set(`${model.name} ${String(id)}`, entityTag(String(doc)).slice(1, -1))
    }
  }
  for (const name of new Set([...stored.keys(), ...versions.keys()])) {
    const [found, wanted] = [versions.get(name), stored.get(name)]
    if (found !== wanted) faults.push(`${name}: the log has ${String(found)}, stored is ${String(wanted)}`)
  }
  return faults
}
