/** Who asks the queries of tests, where that makes no difference. */
import type { Asker } from '../../../src/store/store.ts'

export const ASKER: Asker = { id: 'a reader', class: 'user' }
