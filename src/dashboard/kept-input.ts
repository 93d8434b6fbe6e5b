/**
 * What is typed in an editor, kept in the browser until it is saved: for a reload, a crash, or a session that ended. It is of
 * one user, and erased when that user signs out or another one signs in. Storage can be switched off, and then nothing is kept.
 */
import type { Members } from './any-documents.ts'
import { storedNames, storedText, storeText } from './browser-storage.ts'
import { now } from './timing.ts'

const PREFIX = 'dateline.input.'
const ENTRIES_MAX = 20
const CHARS_MAX = 200_000
const AGE_MAX_MS = 7 * 24 * 60 * 60_000

export interface KeptInput {
  readonly at: number
  /** What the form held, and what it held before the reader typed. */
  readonly members: Members
  readonly base: Members
}

/** The name of what a user types into one document. */
export function inputKey(userId: string, model: string, id: string | undefined): string {
  return `${PREFIX}${userId}/${model}/${id ?? 'new'}`
}

export function keptInput(key: string): KeptInput | undefined {
  const input = JSON.parse(storedText(key) ?? 'null') as KeptInput | null
  return input === null || now() - input.at > AGE_MAX_MS ? undefined : input
}

/** Keeps an input in place of the one before; a long one is not kept, and of many the oldest go. */
export function keepInput(key: string, input: Omit<KeptInput, 'at'>): void {
  const text = JSON.stringify({ at: now(), ...input })
  if (text.length > CHARS_MAX) return
  storeText(key, text)
  const oldest = [...storedNames(PREFIX)].sort((a, b) => (keptInput(a)?.at ?? 0) - (keptInput(b)?.at ?? 0))
  for (const one of oldest.slice(0, -ENTRIES_MAX)) forgetInput(one)
}

export function forgetInput(key: string): void {
  storeText(key, undefined)
}

/** Erases what all users but this one have typed; what all have without one. */
export function forgetInputs(exceptOf?: string): void {
  for (const key of storedNames(PREFIX)) {
    if (exceptOf === undefined || !key.startsWith(`${PREFIX}${exceptOf}/`)) forgetInput(key)
  }
}
