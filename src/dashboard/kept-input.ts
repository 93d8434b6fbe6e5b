/**
 * What is typed in an editor, kept in the browser until it is saved: for a reload, a crash, or a session that ended. It is of
 * one user, and erased when that user signs out or another one signs in. Storage can be switched off, and then nothing is kept.
 */
import type { Json } from '../client/client.ts'
import { isMembers, type Members } from './any-documents.ts'
import { nameHere } from './api-url.ts'
import { storedNames, storedText, storeText } from './browser-storage.ts'
import { parseExactly } from './exact-json.ts'
import { now } from './timing.ts'

const prefix = (): string => `${nameHere('dateline.input')}.`
const ENTRIES_MAX = 20
const CHARS_MAX = 200_000
/** Of one document. */
const INPUTS_MAX = 3
const AGE_MAX_MS = 7 * 24 * 60 * 60_000

export interface KeptInput {
  readonly at: number
  /** What the form held, and what it held before the reader typed. */
  readonly members: Members
  readonly base: Members
}

/** The name of what a user types into one document. */
export function inputKey(userId: string, model: string, id: string | undefined): string {
  return `${prefix()}${userId}/${model}/${id ?? 'new'}`
}

/** The newest first, with numbers as they were typed. What cannot be read, such as an entry of another program, is passed over. */
export function keptInputs(key: string): readonly KeptInput[] {
  try {
    const inputs = parseExactly(storedText(key) ?? '[]')
    return Array.isArray(inputs) ? inputs.filter(isKeptInput).filter(({ at }) => now() - at <= AGE_MAX_MS) : []
  } catch {
    return []
  }
}

function isKeptInput(value: unknown): value is KeptInput {
  const { at, members, base } = (value ?? {}) as Partial<Record<keyof KeptInput, Json>>
  return typeof at === 'number' && isMembers(members) && isMembers(base)
}

/** Keeps these in place of those before, or none; long ones are not kept, and of many the oldest go. */
export function keepInputs(key: string, inputs: readonly KeptInput[]): void {
  const text = JSON.stringify(inputs.slice(0, INPUTS_MAX))
  if (text.length > CHARS_MAX) return
  storeText(key, inputs.length === 0 ? undefined : text)
  const newest = (name: string): number => keptInputs(name)[0]?.at ?? 0
  const oldest = [...storedNames(prefix())].sort((a, b) => newest(a) - newest(b))
  for (const one of oldest.slice(0, -ENTRIES_MAX)) storeText(one, undefined)
}

/** Erases what all users but this one have typed; what all have without one. */
export function forgetInputs(exceptOf?: string): void {
  for (const key of storedNames(prefix())) {
    if (exceptOf === undefined || !key.startsWith(`${prefix()}${exceptOf}/`)) storeText(key, undefined)
  }
}
