/**
 * Codes that no two documents may share, such as those of countries. They are looked at in the transaction that writes, so
 * of two writers of one code the second one fails. What shares a code from before may be changed in its other members.
 */
import { describe } from '../../base/failure.ts'
import { parseJson, type JsonObject } from '../../base/json.ts'
import { ProblemFailure, type Problem } from '../../base/problem.ts'
import type { Model } from '../../models/schema.ts'
import type { Database } from '../sqlite/database.ts'
import type { DocumentStore, FoundText } from '../store.ts'
import { lookUpIn } from './text-look-up.ts'

/** What is written, and what it replaces. */
export interface WrittenCode {
  readonly id: string
  readonly value: JsonObject
  readonly stored?: JsonObject | undefined
}

/** Some documents may have the code from before. */
const HOLDERS_MAX = 20

/** The problem of a document whose code another one has; undefined where it may be written. */
export function codeProblem(lookUp: DocumentStore['lookUp'], model: Model, { id, value, stored }: WrittenCode): Problem | undefined {
  const { distinct: path, name } = model
  if (path === undefined) return undefined
  const code = value[path]
  if (typeof code !== 'string' || code === '' || code === stored?.[path]) return undefined
  const ranges = caseVariants(code).map((one) => ({ from: one, to: one }))
  const holder = lookUp(model, path, ranges, HOLDERS_MAX).find((found) => found.id !== id)
  if (holder === undefined) return undefined
  const where = holder.at ?? `the ${name} ${describe(holder.id)}`
  const message = `expected a code that no other ${name} has, found ${describe(code)}, which ${where} has: change one of them`
  return { path, code: 'duplicate', params: { name: nameOf(holder) }, message }
}

/** Whether no other document has its code. */
export function isFree(database: Database, model: Model, written: WrittenCode): boolean {
  return codeProblem(lookUpIn(database), model, written) === undefined
}

/** Throws conflict where another document has the code. */
export function requireDistinct(database: Database, model: Model, written: WrittenCode): void {
  const problem = codeProblem(lookUpIn(database), model, written)
  if (problem !== undefined) throw new ProblemFailure(problem)
}

/** A code of two letters in every case; a longer one, which only a document from before has, in three. */
function caseVariants(code: string): readonly string[] {
  const [lower, upper] = [code.toLowerCase(), code.toUpperCase()]
  const mixed = code.length === 2 ? [`${lower[0]}${upper[1]}`, `${upper[0]}${lower[1]}`] : []
  return [...new Set([code, lower, upper, ...mixed])]
}

function nameOf({ text }: FoundText): string {
  const { name } = parseJson(text) as JsonObject
  return typeof name === 'string' ? name : ''
}
