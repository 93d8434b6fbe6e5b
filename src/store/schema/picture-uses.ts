/**
 * Which pictures of ours a document names, kept by triggers: no write gets past them, so that no picture goes that is in use.
 *
 * An address counts by its end, `/media/HASH.jpg`, whatever its host is: a site that moves to another one keeps its pictures.
 */
import { audit } from '../../models/audit.ts'
import type { Model } from '../../models/schema.ts'
import { tableOf, type SchemaPart } from './names.ts'

const HASH_CHARS = 64
const PATH = '/media/'
/** Of `.jpg` and `.webp`. */
const EXTENSIONS = [4, 5] as const

/**
 * The hash in an address. It is looked for at the end first: the path of a site may have a part `/media/` of its own. Behind
 * the first one, the address may have a query as well.
 */
const HASH = `CASE
      ${EXTENSIONS.map((chars) => {
        const from = HASH_CHARS + chars
        return `WHEN substr(atom, -${from + PATH.length}, ${PATH.length}) = '${PATH}' THEN substr(atom, -${from}, ${HASH_CHARS})`
      }).join('\n      ')}
      ELSE substr(atom, instr(atom, '${PATH}') + ${PATH.length}, ${HASH_CHARS}) END`

/** `SELECT hash, 'topic', new.seq FROM (… FROM json_tree(new.doc) …)`: members such as `iconUrl`, of embedded copies too. */
function namedIn(model: Model, row: string, from = ''): string {
  return `SELECT DISTINCT hash, '${model.name}', seq FROM (SELECT ${HASH} AS hash, ${row}.seq AS seq FROM ${from}json_tree(${row}.doc)
      WHERE type = 'text' AND key GLOB '*Url' AND instr(atom, '${PATH}') > 0)
    WHERE length(hash) = ${HASH_CHARS} AND hash NOT GLOB '*[^0-9a-f]*'`
}

/** Three triggers that keep `picture_use`. A hash that stays named is not touched. */
export function pictureTriggers(model: Model): readonly SchemaPart[] {
  if (model === audit) return []
  const has = (row: string): string => `instr(${row}.doc, '${PATH}') > 0`
  const add = `INSERT OR IGNORE INTO picture_use ${namedIn(model, 'new')};`
  const remove = (row: string, kept = ''): string => `DELETE FROM picture_use WHERE model = '${model.name}' AND seq = ${row}.seq${kept};`
  const bodies = {
    INSERT: { when: has('new'), body: add },
    UPDATE: { when: `${has('old')} OR ${has('new')}`, body: remove('old', ` AND hash NOT IN (SELECT hash FROM (${namedIn(model, 'new')}))`) + add },
    DELETE: { when: has('old'), body: remove('old') },
  }
  return Object.entries(bodies).map(([event, { when, body }]) => {
    const name = `${model.name}/pictures ${event}`
    return { name, sql: `CREATE TRIGGER "${name}" AFTER ${event} ON ${tableOf(model)} WHEN ${when} BEGIN ${body} END` }
  })
}

/** The statement that derives the rows of all documents of a model. */
export function insertPictureUses(model: Model): string {
  const documents = `(SELECT seq, doc FROM ${tableOf(model)} WHERE instr(doc, '${PATH}') > 0) AS one, `
  return `INSERT OR IGNORE INTO picture_use ${namedIn(model, 'one', documents)}`
}
