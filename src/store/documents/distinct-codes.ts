/**
 * Codes that no two documents may share, such as those of countries. They are looked at in the transaction that writes, so
 * of two writers of one code the second one fails. What shares a code from before may be changed in its other members.
 */
import { describe } from '../../base/failure.ts'
import { parseJson, type JsonObject } from '../../base/json.ts'
import { ProblemFailure, type Problem } from '../../base/problem.ts'
import type { Model } from '../../models/schema.ts'
import type { Database } from '../db/database.ts'
import { tableOf, valueAt } from '../schema/names.ts'
import { lookUp, type FoundText, type LookUp } from './text-look-up.ts'

/** What is written, and what it replaces. */
export interface WrittenCode {
  readonly id: string
  readonly value: JsonObject
  readonly stored?: JsonObject | undefined
}

/** Some documents may have the code from before. */
const HOLDERS_MAX = 20

/** The problem of a document whose code another one has; undefined where it may be written. */
export function codeProblem(lookUp: LookUp, model: Model, written: WrittenCode): Problem | undefined {
  const { distinct: path, name } = model
  const code = newCode(model, written)
  if (path === undefined || code === undefined) return undefined
  const ranges = caseVariants(code).map((one) => ({ from: one, to: one }))
  const holder = lookUp(model, path, ranges, HOLDERS_MAX).find((found) => found.id !== written.id)
  if (holder === undefined) return undefined
  const where = holder.at ?? `the ${name} ${describe(holder.id)}`
  const what = nameOfCode(path)
  const message = `expected ${/^[aeiou]/.test(what) ? 'an' : 'a'} ${what} that no other ${name} has, found ${describe(code)}, which ${where} has: change one of them`
  return { path, code: 'duplicate', params: { name: nameOf(holder) }, message }
}

/** What messages call the member that is distinct: that of countries, `isoCode`, is a code. */
function nameOfCode(path: string): string {
  return /code$/i.test(path) ? 'code' : path
}

/** Whether no other document has its code: by one statement, since each start of a service asks for hundreds of codes. */
export function isFree(database: Database, model: Model, written: WrittenCode): boolean {
  const code = newCode(model, written)
  if (model.distinct === undefined || code === undefined) return true
  const codes = caseVariants(code)
  // SELECT 1 FROM "country" WHERE doc ->> '$."isoCode"' IN (?, ?, ?, ?) AND id <> ? LIMIT 1
  const sql = `SELECT 1 FROM ${tableOf(model)} WHERE ${valueAt(model.distinct)} IN (${codes.map(() => '?').join(', ')}) AND id <> ? LIMIT 1`
  return database.get(sql, ...codes, written.id) === undefined
}

/** Throws conflict where another document has the code. */
export function requireDistinct(database: Database, model: Model, written: WrittenCode): void {
  if (isFree(database, model, written)) return
  const problem = codeProblem((...query) => lookUp(database, ...query), model, written)
  if (problem !== undefined) throw new ProblemFailure(problem)
}

/** The code that a write brings; undefined where there is none, or the document has it already. */
function newCode({ distinct: path }: Model, { value, stored }: WrittenCode): string | undefined {
  const code = path === undefined ? undefined : value[path]
  return typeof code !== 'string' || code === '' || (path !== undefined && code === stored?.[path]) ? undefined : code
}

/** A code of two letters in every case; a longer one, which only a document from before has, in three. */
export function caseVariants(code: string): readonly string[] {
  const [lower, upper] = [code.toLowerCase(), code.toUpperCase()]
  const mixed = code.length === 2 ? [`${lower[0]}${upper[1]}`, `${upper[0]}${lower[1]}`] : []
  return [...new Set([code, lower, upper, ...mixed])]
}

function nameOf({ text }: FoundText): string {
  const { name } = parseJson(text) as JsonObject
  return typeof name === 'string' ? name : ''
}
