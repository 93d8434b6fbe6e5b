/**
 * Erases words that only documents had which are gone for good, or have other texts now: from the lexicon and from the
 * segments of the full-text indexes.
 *
 * The vocabulary says what there may be to erase. A word leaves it last, behind the merge that drops it from the segments: so
 * a round that is cut off, by a crash too, is repeated. Each node of a cluster derives its indexes, and erases for itself.
 */
import type { Model } from '../../models/schema.ts'
import type { Database } from '../db/database.ts'
import type { Checkpoints } from '../db/wal/checkpoints.ts'
import type { WriteQueue } from '../db/write-queue.ts'
import { hasWordIndex } from '../schema/search-tables.ts'
import type { SearchChanges } from './search-changes.ts'
import { documentIndexes, mergeSegments } from './trigram-index.ts'
import { wordsWithoutDocument } from './word-index.ts'

/** A removal takes fifteen times as long as a look. */
const [LOOKED_AT_PER_STEP, REMOVED_PER_STEP] = [200, 32]
/** Words of one pass over the segments; some megabytes at most. */
const WORDS_MAX = 20_000

export interface WordErasureParts {
  /** Writes. */
  readonly writing: Database
  readonly queue: Pick<WriteQueue, 'writeDerived'>
  readonly search: Pick<SearchChanges, 'takeOver' | 'forgetWords'>
  readonly checkpoints: Pick<Checkpoints, 'eraseHere'>
  readonly models: readonly Model[]
  /** Reads what is committed. */
  readonly read: <T>(work: (database: Database) => T) => T
}

/** Rests between two steps; false where no other one may follow. */
export type Rest = () => Promise<boolean>

export function wordErasure({ writing, queue, search, checkpoints, models, read }: WordErasureParts) {
  /** Up to WORDS_MAX words behind one, and the word to go on behind. */
  const look = async (model: Model, from: string, rest: Rest) => {
    const words: string[] = []
    for (let after = from; ; ) {
      const found = read((database) => wordsWithoutDocument(database, model, after, LOOKED_AT_PER_STEP))
      words.push(...found.words)
      if (found.next === undefined || words.length >= WORDS_MAX || !(await rest())) return { words, next: found.next }
      after = found.next
    }
  }
  const merge = async (model: Model, rest: Rest): Promise<boolean> => {
    for (const table of documentIndexes(model)) {
      let isFirst = true
      while (await queue.writeDerived(() => mergeSegments(writing, table, isFirst))) {
        isFirst = false
        if (!(await rest())) return false
      }
    }
    return true
  }
  const eraseOf = async (model: Model, rest: Rest): Promise<void> => {
    await queue.writeDerived(() => search.takeOver(model))
    for (let from = ''; ; ) {
      const { words, next } = await look(model, from, rest)
      if (words.length > 0 && !(await merge(model, rest))) return
      for (let at = 0; at < words.length; at += REMOVED_PER_STEP) {
        if (at > 0 && !(await rest())) return
        await queue.writeDerived(() => search.forgetWords(model, words.slice(at, at + REMOVED_PER_STEP)))
      }
      if (next === undefined || !(await rest())) return
      from = next
    }
  }
  /** Takes all steps, and has what they remove erased from the file and its WAL. */
  return async (rest: Rest): Promise<void> => {
    for (const model of models.filter(hasWordIndex)) await eraseOf(model, rest)
    await queue.writeDerived(checkpoints.eraseHere)
  }
}
