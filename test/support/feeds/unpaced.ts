/** A pace without pauses, for tests: transactions follow each other as they come. */
import type { IngestPace } from '../../../src/content/feeds/ingest-pace.ts'

export const UNPACED: IngestPace = { run: (transaction) => transaction(() => {}) }
